import type { IncomingMessage } from 'node:http'
import { decodeBody } from './body/decode-body.ts'
import { S3Error } from './errors.ts'
import type { Exchange, Session } from './exchange.ts'
import type { RequestBody } from './operations/call.ts'
import { type Claim, readClaim } from './signature/claim.ts'

interface Signed {
  session: Session
  body: RequestBody
  /** With the headers that a presigned query stands for. */
  request: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>
}

/** Admits the signer of a request. An unsigned request can name no account, so it gets `AccessDenied`. */
export async function readSigned(exchange: Exchange, options: { region: string; isLarge: boolean }): Promise<Signed> {
  const { method, rawHeaders } = exchange.request
  const sent = { method, url: exchange.target, rawHeaders }
  const claim = readClaim(sent, { region: options.region, now: new Date() })
  if (claim === null) {
    await exchange.admitUnsigned()
    throw new S3Error('AccessDenied')
  }
  // Only uploads are encoded in chunks.
  if (claim.payload.kind === 'chunks' && !options.isLarge) {
    throw new S3Error('InvalidRequest', 'The value of x-amz-content-sha256 header is invalid.')
  }
  let signingKey: Buffer | undefined
  const session = await exchange.admit(claim, (key) => {
    signingKey = claim.verify([key])
  })
  const request = withHoisted(exchange.request, claim)
  const body = bodyOf(exchange, { claim, signingKey: signingKey as unknown as Buffer, isLarge: options.isLarge })
  return { session, request, body }
}

function withHoisted({ method, headers, rawHeaders }: IncomingMessage, { hoisted }: Claim): Signed['request'] {
  return { method, headers: { ...hoisted, ...headers }, rawHeaders: [...rawHeaders, ...Object.entries(hoisted).flat()] }
}

function bodyOf(
  exchange: Exchange,
  { claim, signingKey, isLarge }: { claim: Claim; signingKey: Buffer; isLarge: boolean },
): RequestBody {
  const { promise: opened, resolve } = Promise.withResolvers<AsyncIterable<Buffer>>()
  async function* source(): AsyncGenerator<Buffer> {
    yield* await opened
  }
  const { payload, seed } = claim
  const signature = { payload, seed, signingKey }
  const { headers } = exchange.request
  const decoded = decodeBody(source(), { signature, headers, isSha256VerifiedElsewhere: true })
  return {
    sizeBytes: decoded.sizeBytes,
    contentSha256: decoded.contentSha256,
    async open() {
      resolve(await exchange.openBody(isLarge))
      return decoded.bytes
    },
    trailer: () => Object.fromEntries(decoded.trailers()),
  }
}
