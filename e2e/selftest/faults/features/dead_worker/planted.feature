Feature: A process that dies

  @core @AA-01
  Scenario: It is killed
    Given all is well
    Then its process is killed

  @core @AA-01
  Scenario: It lives
    Given all is well
    Then nothing happens
