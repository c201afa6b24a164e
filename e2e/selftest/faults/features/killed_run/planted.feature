Feature: A run that is told to stop

  @core @AA-01
  Scenario: It is stopped
    Given all is well
    Then the run is told to stop
