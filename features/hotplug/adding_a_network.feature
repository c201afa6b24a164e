Feature: A network is added to a running VM
  People attach networks to VMs that serve traffic. A restart would drop that traffic, so an additional
  network has to arrive in the guest while the VM runs, with the MAC address and the index by which the
  people inside the guest will know it.

  Background:
    Given the VM "web" is running with networks
      | type | name |
      | Main |      |
    And "web" must not restart

  @core @HP-01
  Scenario: A cluster network arrives in the guest
    Given ClusterNetwork "blue" is ready
    When ClusterNetwork "blue" is added to "web"
    Then the guest of "web" has 2 interfaces
    And the column "Need restart" of "web" is blank

  @core @HP-01
  Scenario: A cluster network that has addresses arrives with one
    Given ClusterNetwork "blue" with the addresses "10.77.0.0/24" is ready
    When ClusterNetwork "blue" is added to "web"
    Then the guest of "web" has the address that the VM reports for ClusterNetwork "blue"

  @core @HP-02
  Scenario: A network of the namespace arrives in the guest
    Given Network "shop" is ready
    When Network "shop" is added to "web"
    Then the guest of "web" has 2 interfaces
    And the column "Need restart" of "web" is blank

  @core @HP-05
  Scenario: The guest, the VM and the address object agree on the MAC address
    Given ClusterNetwork "blue" is ready
    When ClusterNetwork "blue" is added to "web"
    Then the guest of "web" has an interface with the MAC address that the VM reports for ClusterNetwork "blue"
    And the VirtualMachineMACAddress that "web" names for ClusterNetwork "blue" has the same MAC address

  @core @HP-06
  Scenario: The guest finds the interface at the index that the VM reports
    Given ClusterNetwork "blue" is ready
    When ClusterNetwork "blue" is added to "web"
    Then the guest of "web" has an interface with the index that the VM reports for ClusterNetwork "blue"

  @core @HP-06
  Scenario: The guest finds the interface at the index that the user chose
    Given ClusterNetwork "blue" is ready
    When ClusterNetwork "blue" is added to "web" with id 7
    Then "web" reports ClusterNetwork "blue" with id 7
    And the guest of "web" has an interface with index 7

  @robust @HP-19
  Scenario: A plugged VM is quiet
    Given ClusterNetwork "blue" is ready
    When ClusterNetwork "blue" is added to "web"
    Then the guest of "web" has 2 interfaces
    And "web" settles with "NetworkReady" "True" and without "ConfigurationApplied"
