Feature: A step that nobody defined

  @core @AA-01
  Scenario: It has no definition
    Given all is well
    Then nobody knows what this means
