/** Why the service does not start: a variable, and a line that names it and the cure. */
export interface ConfigFault {
  variable: string
  text: string
}

/** What is allowed, and probably not meant. */
export interface Misgiving {
  what: string
  cure: string
}
