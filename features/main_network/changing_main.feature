Feature: The Main network comes and goes with a restart
  Main is how a VM is reached. It cannot be exchanged under a running guest, so the platform tells that a
  change of it waits for a restart, leaves the guest alone until then, and applies the change with it.

  Background:
    Given ClusterNetwork "blue" is ready

  @core @MN-01
  Scenario: Removing Main waits for a restart and says so
    Given the VM "web" is running with networks
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    And "web" must go on running
    When the networks of "web" become
      | type           | name |
      | ClusterNetwork | blue |
    Then "web" reports "AwaitingRestartToApplyConfiguration" is "True" because "ChangesPendingRestart"
    And the only change that awaits a restart of "web" is
      | operation | path     | from                      | to                  |
      | replace   | networks | Main, ClusterNetwork/blue | ClusterNetwork/blue |
    And the column "Need restart" of "web" says "True"
    And the guest of "web" keeps its Main interface

  @core @MN-02
  Scenario: Adding Main waits for a restart and says so
    Given the VM "web" is running with networks
      | type           | name |
      | ClusterNetwork | blue |
    And "web" must go on running and report no Main network
    When the networks of "web" become
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    Then "web" reports "AwaitingRestartToApplyConfiguration" is "True" because "ChangesPendingRestart"
    And the only change that awaits a restart of "web" is
      | operation | path     | from                | to                        |
      | replace   | networks | ClusterNetwork/blue | Main, ClusterNetwork/blue |
    And the column "Need restart" of "web" says "True"
    And the guest of "web" keeps 1 interface

  @core @MN-03
  Scenario: A restart removes Main
    Given the VM "web" is running with networks
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    And a restart of "web" is awaited to apply the networks
      | type           | name |
      | ClusterNetwork | blue |
    When "web" is restarted
    Then the guest of "web" has 1 interface
    And the guest of "web" has an interface with the MAC address that the VM reports for ClusterNetwork "blue"
    And "web" reports no Main network
    And nothing awaits a restart of "web"

  @core @MN-03
  Scenario: A restart adds Main
    Given the VM "web" is running with networks
      | type           | name |
      | ClusterNetwork | blue |
    And a restart of "web" is awaited to apply the networks
      | type           | name |
      | Main           |      |
      | ClusterNetwork | blue |
    When "web" is restarted
    Then the guest of "web" has 2 interfaces
    And the guest of "web" has a Main interface
    And nothing awaits a restart of "web"
