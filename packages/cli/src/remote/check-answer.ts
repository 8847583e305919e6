import { ProtocolError } from '@tideport/sdk'
import { answers, named, type Shape } from '../generated/answers.ts'

/** Throws a `ProtocolError` for a response of another shape. Unknown fields are allowed: the service may be newer. */
export function checkAnswer(endpoint: string, answer: object): void {
  const fault = faultOf(answers[endpoint] ?? 'unknown', answer, 'the body')
  if (fault) throw new ProtocolError(`The response to ${endpoint} does not come from Tideport: ${fault}. Check the URL`)
}

function faultOf(shape: Shape, value: unknown, at: string): string | null {
  if (typeof shape === 'string') {
    if (shape.startsWith('@')) return faultOf(named[shape.slice(1)] ?? 'unknown', value, at)
    return shape === 'unknown' || kindOf(value) === shape ? null : mismatch(at, value, shape)
  }
  if ('any' in shape) {
    const faults = shape.any.map((one) => faultOf(one, value, at))
    return faults.includes(null) ? null : (faults[0] ?? null)
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return mismatch(at, value, 'list')
    return firstFault(value.entries(), ([index, item]) => faultOf(shape.list, item, `${at}[${index}]`))
  }
  if (kindOf(value) !== 'object') return mismatch(at, value, 'object')
  const members = value as Record<string, unknown>
  if ('values' in shape) {
    return firstFault(Object.entries(members), ([name, one]) => faultOf(shape.values, one, pathTo(at, name)))
  }
  return firstFault(Object.entries(shape.fields), ([field, one]) => {
    const name = field.replace(/\?$/, '')
    const there = Object.hasOwn(members, name) ? members[name] : undefined
    return there === undefined && (name !== field || mayMiss(one)) ? null : faultOf(one, there, pathTo(at, name))
  })
}

/** An older service may omit booleans and nullable fields. */
const mayMiss = (shape: Shape): boolean =>
  shape === 'boolean' || shape === 'null' || (typeof shape === 'object' && 'any' in shape && shape.any.some(mayMiss))

function firstFault<T>(items: Iterable<T>, faultAt: (item: T) => string | null): string | null {
  for (const item of items) {
    const fault = faultAt(item)
    if (fault) return fault
  }
  return null
}

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

const pathTo = (at: string, name: string): string => (at === 'the body' ? name : `${at}.${name}`)

function mismatch(at: string, value: unknown, wanted: string): string {
  return value === undefined ? `${at} is missing` : `${at} is ${articled(kindOf(value))}, not ${articled(wanted)}`
}

const articled = (kind: string): string => (kind === 'null' ? kind : `${kind === 'object' ? 'an' : 'a'} ${kind}`)
