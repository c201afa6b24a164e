Feature: A VM has an address on the Main network
  The address of a VM is what its users and its DNS entries know. It is an object of its own, made with
  the VM unless its owner names one, and the guest has to end up with exactly that address.

  @core @VI-01
  Scenario: An address is made for a VM that names none
    When the VM "db" is created with networks
      | type | name |
      | Main |      |
    Then "db" gets a VirtualMachineIPAddress of type "Auto" with a free address of the environment
    And that VirtualMachineIPAddress of "db" comes to be "Attached" by way of "Pending" and "Bound"
    And the VirtualMachineIPAddressLease of "db" is "Bound" and named after the address, as in "ip-10-66-10-5"

  @core @VI-01
  Scenario: Two VMs that start together get different addresses
    When the VMs "db" and "web" are created with networks
      | type | name |
      | Main |      |
    Then "db" gets a VirtualMachineIPAddress of type "Auto" with a free address of the environment
    And "web" gets a VirtualMachineIPAddress of type "Auto" with a free address of the environment
    And the VirtualMachineIPAddresses of "db" and "web" have different addresses

  @core @VI-05
  Scenario: The guest has the address that the platform reserved for it
    When the VM "db" is created with networks
      | type | name |
      | Main |      |
    Then the Main interface in the guest of "db" has the address of its VirtualMachineIPAddress
    And "db" reports the address of its VirtualMachineIPAddress
