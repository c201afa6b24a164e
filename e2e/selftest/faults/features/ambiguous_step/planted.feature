Feature: A step that was defined twice

  @core @AA-01
  Scenario: It has two definitions
    Given it is said in two ways
    Then nothing happens
