const WARNING = /^\([\w.-]+:\d+\) (?:\[\w+\] )?\w*Warning: .*$/m

/** Throws when a process printed that Node warned it: of listeners that pile up, of what is deprecated. */
export function assertNoWarning(printed: string, program: string): void {
  const [warning] = WARNING.exec(printed) ?? []
  if (warning !== undefined) throw new Error(`${program} was warned by Node: ${warning}`)
}
