import { elementsOf, textOf } from './xml.ts'

/**
 * An answer of the store that is no success. `name` is S3's code, e.g. `NoSuchKey`; of a 404 to HEAD, which has no body,
 * `NotFound`. Without a code it is `Http` and the status.
 */
export class S3Error extends Error {
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = code
    this.status = status
  }

  /** The store did not say it: whatever stands in front of it may have. */
  get isAnonymous(): boolean {
    return this.name === `Http${this.status}`
  }
}

const MESSAGE_MAX = 200

/** The error in the body of an answer to a request of this method, or what its status alone says. */
export function readError(method: string, status: number, body: string): S3Error {
  const [error = ''] = elementsOf(body, 'Error')
  const code = textOf(error, 'Code') ?? (method === 'HEAD' && status === 404 ? 'NotFound' : `Http${status}`)
  const message = textOf(error, 'Message') ?? `The store answered ${status}`
  return new S3Error(code.slice(0, MESSAGE_MAX), message.slice(0, MESSAGE_MAX), status)
}

/** An answer that cannot be read; counts as the store's failure. */
export function malformed(what: string): S3Error {
  return new S3Error('MalformedAnswer', `The store's answer ${what}`, 502)
}
