Feature: A fixture with a mistake

  @core @AA-01
  Scenario: It asserts
    Given all is well
    Then a broken fixture is needed
