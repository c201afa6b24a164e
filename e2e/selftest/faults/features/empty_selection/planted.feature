Feature: A selection that nothing is in

  @core @AA-01
  Scenario: It is not selected
    Given all is well
    Then nothing happens
