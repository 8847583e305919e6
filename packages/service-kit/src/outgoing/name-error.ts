/** Why a name has no addresses: the name's fault (the first three), or ours. */
export type NameProblem = 'none' | 'silent' | 'failed' | 'resolver_down' | 'busy'

const CODES: Record<NameProblem, string> = {
  none: 'ENOTFOUND',
  silent: 'NAME_SILENT',
  failed: 'ENOTFOUND',
  resolver_down: 'NAME_NOT_LOOKED_UP',
  busy: 'NAME_NOT_LOOKED_UP',
}

/** A name without addresses. Its `code` is what describe-failure.ts knows. */
export class NameError extends Error {
  override name = 'NameError'
  readonly code: string

  constructor(problem: NameProblem) {
    super(`The name has no addresses: ${problem}`)
    this.code = CODES[problem]
  }
}
