import { S3Error } from '../errors.ts'
import type { FormFields } from './policy-claim.ts'
import { type Condition, type ConditionInput, readCondition } from './policy-condition.ts'

export interface PolicyInput {
  bucket: string
  /** The key that the form stores, after `${filename}` was replaced. */
  key: string
  fields: FormFields
  sizeBytes: number
  now: Date
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Throws unless the form does exactly what its signed policy permits. Each field needs a condition. */
export function checkPolicy(encoded: string, input: PolicyInput): void {
  const conditions = readPolicy(encoded, input.now)
  const { bucket, key, fields, sizeBytes } = input
  const extra = [...fields.keys()].find(
    (field) => !isExempt(field) && !conditions.some((condition) => condition.field === field),
  )
  if (extra !== undefined) throw extraField(extra)
  const values = new Map([...fields, ['bucket', bucket], ['key', key]])
  const conditionInput: ConditionInput = { values, sizeBytes }
  for (const condition of conditions) condition.check(conditionInput)
  if (!conditions.some(({ field }) => field === 'bucket')) throw extraField('bucket')
}

function readPolicy(encoded: string, now: Date): Condition[] {
  const policy = readDocument(encoded)
  if (!Object.hasOwn(policy, 'expiration')) throw invalidPolicy('Policy missing expiration.')
  if (!Object.hasOwn(policy, 'conditions')) throw invalidPolicy('Policy missing conditions.')
  const { expiration, conditions, ...others } = policy
  if (!Array.isArray(conditions)) throw invalidPolicy("Invalid 'conditions' value: must be a List.")
  if (typeof expiration !== 'string') throw invalidPolicy('Invalid JSON.')
  const [unexpected] = Object.keys(others)
  if (unexpected !== undefined) throw invalidPolicy(`Unexpected: ${JSON.stringify(unexpected)}`)
  const end = new Date(expiration).getTime()
  if (!TIME.test(expiration) || Number.isNaN(end)) throw invalidPolicy(`Invalid 'expiration' value: '${expiration}'`)
  const read = conditions.map((condition: unknown) => readCondition(condition))
  if (end < now.getTime()) throw new S3Error('AccessDenied', 'Invalid according to Policy: Policy expired.')
  return read
}

function readDocument(encoded: string): Readonly<Record<string, unknown>> {
  const text = encoded.trim()
  if (text === '') throw invalidPolicy("Expecting '{' but found End-of-Input")
  if (!BASE64.test(text)) throw invalidPolicy('invalid Base64 encoding.')
  try {
    const document: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
      return document as Readonly<Record<string, unknown>>
    }
  } catch {}
  throw invalidPolicy('Invalid JSON.')
}

const isExempt = (field: string) =>
  ['file', 'policy', 'x-amz-signature'].includes(field) || field.startsWith('x-ignore-')

function extraField(field: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: Extra input fields: ${field}`)
}

function invalidPolicy(message: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${message}`)
}
