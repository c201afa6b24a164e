Feature: The SDN is asked for an interface before the VM gets it
  The SDN builds the way from a VM to a network, and it alone knows when that way is open. A NIC that
  arrives in the guest earlier is a NIC without a wire: the guest's DHCP client gives up on it, and its
  user believes the network to be broken.

  @core @HP-07 @lever-hold-sdn-answer
  Scenario: Nothing is plugged while the SDN has said nothing at all
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type | name |
      | Main |      |
    And "web" must not restart
    And the SDN does not answer for ClusterNetwork "blue"
    When ClusterNetwork "blue" is added to "web"
    Then "web" reports "ConfigurationApplied" is "False" because "ConfigurationNotApplied", mentioning "SDN"
    And the guest of "web" keeps 1 interface
    And "web" was never given more than 1 interface

  @core @HP-07 @lever-hold-sdn-answer
  Scenario: Nothing is plugged while the SDN has answered only for another network
    Given ClusterNetworks "blue" and "green" are ready
    And the VM "web" is running with networks
      | type           | name  |
      | Main           |       |
      | ClusterNetwork | green |
    And "web" must not restart
    And the SDN does not answer for ClusterNetwork "blue"
    When ClusterNetwork "blue" is added to "web"
    Then "web" reports "ConfigurationApplied" is "False" because "ConfigurationNotApplied", mentioning "SDN"
    And the guest of "web" keeps 2 interfaces
    And "web" was never given more than 2 interfaces

  @core @HP-07 @lever-hold-sdn-answer
  Scenario: The answer of the SDN is what plugs the interface
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type | name |
      | Main |      |
    And "web" must not restart
    And ClusterNetwork "blue" has been added to "web" while the SDN does not answer for it
    When the SDN answers for ClusterNetwork "blue"
    Then the guest of "web" has 2 interfaces
    And "web" was given the interface for ClusterNetwork "blue" only after the SDN had reported it healthy

  @core @HP-08
  Scenario: The first additional network is all that is asked for
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type | name |
      | Main |      |
    And "web" must not restart
    When ClusterNetwork "blue" is added to "web" with id 2
    Then the SDN is asked for these interfaces of "web"
      """
      [{"id":2,"type":"ClusterNetwork","name":"blue","ifName":"veth_cn########","uid":64535,"gid":64535}]
      """

  @core @HP-08
  Scenario: What was asked for before stays as it is
    Given ClusterNetwork "green" is ready
    And Network "shop" is ready
    And the VM "web" is running with networks
      | type           | name  | id |
      | Main           |       | 1  |
      | ClusterNetwork | green | 2  |
    And "web" must not restart
    And what the SDN is asked for "web" is kept, entry by entry
    When Network "shop" is added to "web" with id 3
    Then the SDN is asked for these interfaces of "web"
      """
      [{"id":2,"type":"ClusterNetwork","name":"green","ifName":"veth_cn########","uid":64535,"gid":64535},
       {"id":3,"type":"Network","name":"shop","ifName":"veth_n########","uid":64535,"gid":64535}]
      """

  @robust @HP-24
  Scenario: Nothing is asked for a VM that never had an additional network
    Given the VM "web" is running with networks
      | type | name |
      | Main |      |
    Then "web" settles
    And the SDN is asked for nothing for "web"

  @robust @HP-24
  Scenario: Nothing is asked for a VM that has lost its last additional network
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    And the SDN is asked for an interface for ClusterNetwork "blue" in "web"
    When ClusterNetwork "blue" is removed from "web"
    Then the guest of "web" has 1 interface
    And "web" settles
    And the SDN is asked for nothing for "web"
