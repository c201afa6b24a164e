Feature: Two scenarios of one name

  @core @AA-01
  Scenario: It vanishes
    Given all is well
    Then nothing happens

  @core @AA-01
  Scenario: It vanishes
    Given all is well
    Then nothing happens
