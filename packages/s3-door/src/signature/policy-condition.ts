import { S3Error } from '../errors.ts'

export interface ConditionInput {
  values: ReadonlyMap<string, string>
  sizeBytes: number
}

/** A condition of a policy. `field` is the form field that it permits, if any. */
export interface Condition {
  field: string | undefined
  check(input: ConditionInput): void
}

/** Reads `{"acl": "private"}`, `["eq", "$acl", "private"]`, `["starts-with", …]`, or `["content-length-range", 1, 9]`. */
export function readCondition(condition: unknown): Condition {
  if (Array.isArray(condition)) return readList(condition)
  if (typeof condition === 'object' && condition !== null) return readSimple(condition)
  throw invalidPolicy('Invalid condition test: must be a List or Object.')
}

function readSimple(condition: object): Condition {
  const [entry, ...more] = Object.entries(condition)
  if (entry === undefined || more.length > 0) {
    throw invalidPolicy('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.')
  }
  const [name, value] = entry as [string, unknown]
  if (typeof value !== 'string') throw invalidPolicy('Invalid Simple-Condition: value must be a string.')
  return comparison(name, (given) => given === value, `["eq", "$${name.toLowerCase()}", "${value}"]`)
}

function readList(condition: readonly unknown[]): Condition {
  const [operation, first, second] = condition
  if (operation === undefined) throw invalidPolicy('Invalid Condition: missing operation identifier.')
  if (typeof operation !== 'string') throw invalidJson()
  if (!['eq', 'starts-with', 'content-length-range'].includes(operation)) {
    throw invalidPolicy(`Invalid Condition: unknown operation '${operation}'.`)
  }
  if (condition.length !== 3) throw invalidPolicy(`Invalid ${operation}: wrong number of arguments.`)
  if (operation === 'content-length-range') return sizeRange(readInteger(first), readInteger(second))
  if (typeof first !== 'string' || !['string', 'number'].includes(typeof second)) throw invalidJson()
  const text = JSON.stringify(condition)
  if (!first.startsWith('$') || first.length === 1) throw conditionFailed(text)
  const [name, value] = [first.slice(1), String(second)]
  if (operation === 'eq') return comparison(name, (given) => given === value, text)
  return comparison(name, (given) => startsWith(name, given, value), text)
}

function comparison(name: string, holds: (given: string) => boolean, text: string): Condition {
  const field = name.toLowerCase()
  return {
    field,
    check({ values }) {
      const given = values.get(field)
      if (given === undefined || !holds(given)) throw conditionFailed(text)
    },
  }
}

/** `Content-Type` may be a list. Each of its types must have the prefix. */
function startsWith(name: string, given: string, prefix: string): boolean {
  const values = name.toLowerCase() === 'content-type' ? given.split(',').map((one) => one.trim()) : [given]
  return values.every((value) => value.startsWith(prefix))
}

function sizeRange(min: number, max: number): Condition {
  return {
    field: undefined,
    check({ sizeBytes }) {
      if (sizeBytes > max) {
        const message = 'Your proposed upload exceeds the maximum allowed size'
        throw new S3Error('EntityTooLarge', message, { ProposedSize: String(sizeBytes), MaxSizeAllowed: String(max) })
      }
      if (sizeBytes < min) {
        const message = 'Your proposed upload is smaller than the minimum allowed size'
        throw new S3Error('EntityTooSmall', message, { ProposedSize: String(sizeBytes), MinSizeAllowed: String(min) })
      }
    },
  }
}

function readInteger(value: unknown): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw invalidJson()
}

const invalidJson = () => invalidPolicy('Invalid JSON.')

function invalidPolicy(message: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`)
}

function conditionFailed(condition: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: Policy Condition failed: ${condition}`)
}
