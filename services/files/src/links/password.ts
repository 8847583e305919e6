import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createSlots } from '@tideport/service-kit/process/slots'

/** What OWASP advises at least: 19 MiB and two passes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const SALT_BYTES = 16
/** Of a process at once: so much memory and so many threads. One more is 503. */
const HASHES_MAX = 4

const derive = promisify(argon2)

export interface Passwords {
  /** For the row of a link: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. */
  hash(password: string): Promise<string>
  isRight(password: string, hash: string): Promise<boolean>
}

/** Passwords are compared in NFC, in which what looks the same is the same. */
export function createPasswords(): Passwords {
  const slots = createSlots(HASHES_MAX, 'Too many passwords are being checked')

  async function tagOf(password: string, nonce: Buffer, { memory, passes, parallelism }: typeof cost): Promise<Buffer> {
    const release = slots.take()
    try {
      const message = Buffer.from(password.normalize('NFC'))
      return await derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength: TAG_BYTES })
    } finally {
      release()
    }
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES)
      const tag = await tagOf(password, salt, cost)
      const { memory, passes, parallelism } = cost
      return ['', 'argon2id', 'v=19', `m=${memory},t=${passes},p=${parallelism}`, inText(salt), inText(tag)].join('$')
    },
    async isRight(password, hash) {
      const { salt, tag, ...given } = read(hash)
      return timingSafeEqual(await tagOf(password, salt, given), tag)
    },
  }
}

const inText = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Each hash says what it took: those of before stay good when the cost changes. */
function read(hash: string) {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    ...{ salt: bytes(salt), tag: bytes(tag) },
  }
}
