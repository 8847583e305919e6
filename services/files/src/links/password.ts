import { randomBytes, timingSafeEqual } from 'node:crypto'
import { parseAddress } from '@tideport/service-kit/http/ip-address'
import { createFairQueue } from './fair-queue.ts'
import { createHashThread } from './hash-thread.ts'
import { createTokenBucket } from './token-bucket.ts'

/** The minimum that OWASP recommends: 19 MiB and two passes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const SALT_BYTES = 16

/** Passwords that wait for a thread: in total, and per account, client network, or link. */
const WAITING = { waitingMax: 128, waitingPerKeyMax: 32 }
/** Rates per process: new passwords of an account, and passwords that a client network enters. */
const OF_ACCOUNT = { burst: 60, everySeconds: 0.5 }
const OF_NETWORK = { burst: 60, everySeconds: 0.25 }

/** The client that enters a password, and the link. */
export interface Guess {
  linkId: string
  clientAddress: string
}

export interface Passwords {
  /**
   * Value for the row of a link: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`. Throws 429 and 503 when the hash is not
   * computed.
   */
  hash(password: string, accountId: string): Promise<string>
  isRight(password: string, hash: string, guess: Guess): Promise<boolean>
}

/** Compares passwords in NFC. New and entered passwords use separate threads, so neither delays the other. */
export function createPasswords(): Passwords {
  const created = createLane({
    ...OF_ACCOUNT,
    refusal: 'Too many links with passwords are being created. Try again later.',
  })
  const given = createLane({ ...OF_NETWORK, refusal: 'Too many passwords are being checked. Try again later.' })
  return {
    async hash(password, accountId) {
      const salt = randomBytes(SALT_BYTES)
      const tag = await created([accountId], toMessage(password), salt, cost)
      const { memory, passes, parallelism } = cost
      return ['', 'argon2id', 'v=19', `m=${memory},t=${passes},p=${parallelism}`, inText(salt), inText(tag)].join('$')
    },
    async isRight(password, hash, { linkId, clientAddress }) {
      const { salt, tag, ...own } = read(hash)
      const keys = [`network ${networkOf(clientAddress)}`, `link ${linkId}`] as const
      return timingSafeEqual(await given(keys, toMessage(password), salt, own), tag)
    },
  }
}

/** Hashes in one thread. The first key has the allowance; all keys count for the order. */
function createLane({ refusal, ...rate }: typeof OF_ACCOUNT & { refusal: string }) {
  const allowance = createTokenBucket({ ...rate, refusal })
  const turns = createFairQueue({ ...WAITING, refusal })
  const thread = createHashThread()
  return async (keys: readonly [string, ...string[]], message: Buffer, nonce: Buffer, parameters: typeof cost) => {
    allowance.take(keys[0])
    try {
      return await turns.run(keys, () => thread.derive({ message, nonce, ...parameters, tagLength: TAG_BYTES }))
    } catch (error) {
      allowance.giveBack(keys[0])
      throw error
    }
  }
}

const toMessage = (password: string) => Buffer.from(password.normalize('NFC'))

/** The /24 of an IPv4 address, the /48 of an IPv6 address. */
function networkOf(clientAddress: string): string {
  const address = parseAddress(clientAddress)
  if (address === null) return clientAddress
  return address
    .toByteArray()
    .slice(0, address.kind() === 'ipv4' ? 3 : 6)
    .join('.')
}

const inText = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

/** Each hash contains its parameters, so older hashes remain valid when the cost changes. */
function read(hash: string) {
  const [, memory, passes, parallelism, salt = '', tag = ''] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash) ?? []
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    ...{ salt: bytes(salt), tag: bytes(tag) },
  }
}
