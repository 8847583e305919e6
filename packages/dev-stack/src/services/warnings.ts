const levels = new Map([
  ['warn', 'warning'],
  ['error', 'error'],
  ['fatal', 'fatal'],
])
const maxCharacters = 500
const quietMs = 10_000

type Told = Map<string, { at: number; repeats: number }>
type LoggedError = { message?: string; cause?: LoggedError }

/** The short form of a service's log line for the terminal; undefined below level `warn`. */
export function warningOf(name: string, line: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const { level, msg, err, service } = JSON.parse(line)
    const label = levels.get(level)
    if (label === undefined) return undefined
    const source = name.startsWith('serve-') && service ? printable(service) : name
    return `${source} ${label}: ${printable([msg, ...messagesOf(err)].join(': '))}`
  } catch {
    return undefined // not valid JSON; the log file has the line
  }
}

/** The link that a line of a service's log contains for the person who sets up the installation. */
export function setUpLinkIn(line: string): string | undefined {
  if (!line.includes('"setUpLink":')) return undefined
  try {
    const { setUpLink } = JSON.parse(line)
    return typeof setUpLink === 'string' ? printable(setUpLink) : undefined
  } catch {
    return undefined
  }
}

/** Prints the warnings of a process. Prints a repeated warning at most every ten seconds, with its count. */
export function tellWarnings(name: string, out: (line: string) => void, now: () => number = Date.now) {
  const told: Told = new Map()
  return (line: string): void => {
    const warning = warningOf(name, line)
    if (warning === undefined) return
    const last = told.get(warning)
    if (last !== undefined && now() - last.at < quietMs) {
      last.repeats += 1
      return
    }
    forget(told, now() - quietMs)
    told.set(warning, { at: now(), repeats: 0 })
    out(last?.repeats ? `${warning} (and ${last.repeats} times since the last report)` : warning)
  }
}

function forget(told: Told, until: number): void {
  for (const [warning, { at }] of told) {
    if (at > until) return
    told.delete(warning)
  }
}

function messagesOf(error: LoggedError | undefined): string[] {
  if (!error?.message) return []
  const causes = messagesOf(error.cause)
  return causes[0] === error.message ? causes : [error.message, ...causes]
}

/** Error messages may contain foreign text, which must not move the cursor of the terminal or fill the screen. */
function printable(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, ' ')
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters)}…` : line
}
