import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** Deviations from an honest device and browser. */
export interface Deviations {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  isUserVerified?: boolean
  counter?: number
}

/** A browser at `origin` with a passkey of its own (WebAuthn level 2, ES256, no attestation). */
export function createPasskeyDevice(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credentialId = randomBytes(32)
  const id = credentialId.toString('base64url')
  let counter = 0

  function clientData(type: string, challenge: string, changed: Deviations): Buffer {
    const said = { type: changed.type ?? type, challenge: changed.challenge ?? challenge }
    return Buffer.from(JSON.stringify({ ...said, origin: changed.origin ?? origin, crossOrigin: false }))
  }

  function authenticatorData(more: number, { rpId, isUserVerified = true, counter: given }: Deviations): Buffer {
    counter = given ?? counter + 1
    const [isPresent, isVerified] = [0x01, isUserVerified ? 0x04 : 0]
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([
      sha256(rpId ?? new URL(origin).hostname),
      Buffer.from([isPresent | isVerified | more]),
      count,
    ])
  }

  return {
    id,
    /** The response to creation options. */
    create({ challenge }: { challenge: string }, changed: Deviations = {}) {
      const hasKey = 0x40
      const attested = [Buffer.alloc(16), Buffer.from([0, credentialId.length]), credentialId, coseKey(x, y)]
      const attestationObject = map({
        fmt: text('none'),
        attStmt: map({}),
        authData: bytes(Buffer.concat([authenticatorData(hasKey, changed), ...attested])),
      })
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, changed).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      }
      return { id, rawId: id, type: 'public-key', response } as const
    },
    /** The response to request options. */
    sign({ challenge }: { challenge: string }, changed: Deviations = {}) {
      const client = clientData('webauthn.get', challenge, changed)
      const data = authenticatorData(0, changed)
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
      }
      return { id, rawId: id, type: 'public-key', response } as const
    },
  }
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest()

/** Of values of CBOR (RFC 8949) that are shorter than 64 KiB, in the shortest form. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (entries: Record<string, Buffer>) => {
  const pairs = Object.entries(entries)
  return Buffer.concat([head(5, pairs.length), ...pairs.flatMap(([name, value]) => [text(name), value])])
}

/** {1: EC2, 3: ES256, -1: P-256, -2: x, -3: y} (RFC 9053). */
function coseKey(x: string, y: string): Buffer {
  const [left, right] = [x, y].map((part) => bytes(Buffer.from(part, 'base64url'))) as [Buffer, Buffer]
  return Buffer.concat([Buffer.from('a501020326200121', 'hex'), left, Buffer.from([0x22]), right])
}
