const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
])
/** Statement timeout, idle transaction, shutdown, crash, startup, too many connections, read-only after failover. */
const NOT_NOW = new Set(['57014', '25P03', '57P01', '57P02', '57P03', '53300', '25006'])
/** Two transactions waited for each other, and Postgres aborted this one. */
const DEADLOCK = '40P01'
/** Lock timeout, deadlock, serialization failure. */
const LOST_A_LOCK = new Set(['55P03', DEADLOCK, '40001'])
/** Errors that pg and its pool throw without a code. */
const BROKEN_CONNECTION =
  /timeout e(?:xceeded when trying to connect|xpired)|Connection terminated|Query read timeout|not queryable/

/** Whether an error means that Postgres is unavailable, not that it refuses this statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return UNREACHABLE.has(code) || NOT_NOW.has(code) || /^08...$/.test(code)
  return BROKEN_CONNECTION.test(error.message)
}

/** A schema, table, or column is missing: a migration that is still running creates it. */
const NOT_MIGRATED = new Set(['3F000', '42P01', '42703'])

/** Whether an error means that Postgres is unavailable, or that its schema is not migrated yet. */
export function isNotYetMigrated(error: unknown): boolean {
  return isUnavailable(error) || NOT_MIGRATED.has((error as { code?: string } | null)?.code ?? '')
}

/** Whether Postgres canceled a statement that took too long. The connection is still usable. */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '57014'
}

/** Whether a statement did not get its locks. It changed nothing, and a retry may succeed. */
export function lostALock(error: unknown): boolean {
  return LOST_A_LOCK.has((error as { code?: string } | null)?.code ?? '')
}

export function isDeadlock(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DEADLOCK
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const { code, constraint: violated } = (error ?? {}) as { code?: unknown; constraint?: unknown }
  return code === '23505' && (constraint === undefined || violated === constraint)
}
