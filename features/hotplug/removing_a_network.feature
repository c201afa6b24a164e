Feature: A network is removed from a running VM
  A network that is taken away from a VM has to leave its guest as quietly as it came: the VM goes on
  running, the other interfaces stay, and nobody else gets what the guest still holds.

  @core @UP-01
  Scenario: A cluster network leaves the guest, another one stays
    Given ClusterNetworks "blue" and "green" are ready
    And the VM "web" is running with networks
      | type           | name  |
      | Main           |       |
      | ClusterNetwork | blue  |
      | ClusterNetwork | green |
    And "web" must not restart
    When ClusterNetwork "blue" is removed from "web"
    Then the guest of "web" has 2 interfaces
    And the guest of "web" has an interface with the MAC address that the VM reports for ClusterNetwork "green"
    And the column "Need restart" of "web" is blank

  @core @UP-01
  Scenario: A network of the namespace leaves the guest
    Given Network "shop" is ready
    And the VM "web" is running with networks
      | type    | name |
      | Main    |      |
      | Network | shop |
    And "web" must not restart
    When Network "shop" is removed from "web"
    Then the guest of "web" has 1 interface

  @core @UP-01
  Scenario: A network that was added to the running VM leaves it again
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type | name |
      | Main |      |
    And "web" must not restart
    And ClusterNetwork "blue" has been added to "web"
    When ClusterNetwork "blue" is removed from "web"
    Then the guest of "web" has 1 interface

  @robust @UP-02
  Scenario: The VM reports the network until the guest has let go of it
    Given ClusterNetwork "blue" is ready
    And the VM "web" is running with networks
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    And "web" must not restart
    When ClusterNetwork "blue" is removed from "web"
    Then "web" no longer reports ClusterNetwork "blue"
    And "web" had reported ClusterNetwork "blue" until its guest let go of the interface
