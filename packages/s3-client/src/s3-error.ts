import { textOf } from './xml.ts'

/**
 * An answer of the store that is no success. `name` is S3's code, e.g. `NoSuchKey`; of HEAD, which has no body, by its
 * status.
 */
export class S3Error extends Error {
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = code
    this.status = status
  }
}

const bodiless: Record<number, string> = { 403: 'Forbidden', 404: 'NotFound', 412: 'PreconditionFailed' }
const MESSAGE_MAX = 200

/** The error in an answer's body, or what its status alone says. */
export function readError(status: number, body: string): S3Error {
  const code = textOf(body, 'Code') ?? bodiless[status] ?? `Http${status}`
  const message = textOf(body, 'Message') ?? `The store answered ${status}`
  return new S3Error(code.slice(0, MESSAGE_MAX), message.slice(0, MESSAGE_MAX), status)
}

/** An answer that cannot be read; counts as the store's failure. */
export function malformed(what: string): S3Error {
  return new S3Error('MalformedAnswer', `The store's answer ${what}`, 502)
}
