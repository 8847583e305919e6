import { UsageError } from './failures.ts'

/** A whole number from 1 to `max`. Throws a `UsageError`. */
export function parseCount(option: string, text: string, max: number): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > max) throw new UsageError(`--${option} takes a whole number from 1 to ${max}`)
  return count
}
