import { errorDocument, showError } from './error-answer.ts'
import { S3Error } from './errors.ts'
import type { Exchange, Session } from './exchange.ts'
import { assertAcl } from './operations/acls.ts'
import { type Answer, type Call, xml } from './operations/call.ts'
import { answerPreflight, exposedHeaders } from './operations/cors.ts'
import { operations, slowOperations } from './operations/operations.ts'
import { postObject } from './operations/post-object.ts'
import { toS3Error } from './operations/refusals.ts'
import { findOperation, type OperationName } from './routing/operation.ts'
import { readTarget, type Target } from './routing/target.ts'
import { readSigned } from './signed-request.ts'
import { XML_DECLARATION } from './xml/write-xml.ts'

interface DoorOptions {
  region: string
  /** Hosts whose subdomains are buckets. */
  domains: readonly string[]
}

/** When the response to a slow operation begins, and how often it continues. */
const SILENCE_MS = 5000

/** Speaks S3. `exchange` is the server's part of one request. */
export function createS3Door({ region, domains }: DoorOptions) {
  async function run(exchange: Exchange, operation: OperationName, target: Target): Promise<Answer | null> {
    if (operation === 'Preflight') return await preflight(exchange, target)
    if (operation === 'PostObject') return await postObject(exchange, target, { region })
    const { session, request, body } = await readSigned(exchange, { region, isLarge: takesBytes.has(operation) })
    assertOwner(request, session)
    const { bucket = '', key = '' } = target
    if (request.headers.origin !== undefined && bucket !== '') {
      exchange.addHeaders(exposedHeaders(request, await session.files.findCors(bucket)))
    }
    const { files, accountId } = session
    const place = { bucket, key }
    // A client that waits does so to learn first that its body would be refused.
    if (exchange.isWaiting && takesBytes.has(operation)) await files.findBucket(bucket)
    if (operation !== 'CreateBucket') await assertAcl(request.headers, { files, bucket })
    const call: Call = { request, target, place, files, accountId, region, body }
    return await operations[operation](call)
  }

  async function handle(exchange: Exchange): Promise<void> {
    let operation: OperationName | 'unknown' = 'unknown'
    let target: Target | undefined
    try {
      target = readTarget(exchange.target, exchange.request.headers.host, domains)
      operation = findOperation(exchange.request.method ?? '', target, exchange.request.headers)
      const work = run(exchange, operation, target)
      const answer = slowOperations.has(operation) ? await whileSlow(exchange, { work, target, operation }) : await work
      if (answer !== null) exchange.send(answer)
      exchange.note(operation, null)
    } catch (error) {
      const place = { bucket: target?.bucket ?? '', key: target?.key ?? '' }
      const known = toS3Error(error, place, operation === 'unknown' ? undefined : operation)
      exchange.note(operation, known)
      if (!exchange.hasBegun()) exchange.send(showError(known, asked(exchange, target)))
    }
  }

  return { handle }
}

const takesBytes: ReadonlySet<OperationName> = new Set(['PutObject', 'UploadPart'])

async function preflight(exchange: Exchange, { bucket }: Target): Promise<Answer> {
  const { files } = await exchange.admitUnsigned()
  return answerPreflight(exchange.request, bucket === undefined ? [] : await files.findCors(bucket))
}

/** A client may name the account that it expects to own a bucket. */
function assertOwner({ headers }: Call['request'], { accountId }: Session): void {
  for (const name of ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner']) {
    const owner = headers[name]
    if (owner !== undefined && owner !== accountId) throw new S3Error('AccessDenied')
  }
}

interface Slow {
  work: Promise<Answer | null>
  target: Target
  operation: OperationName
}

/**
 * Sends white space while the work continues, because clients and proxies close a silent connection. Its error is
 * then part of a response with status 200, as in S3.
 */
async function whileSlow(exchange: Exchange, { work, target, operation }: Slow): Promise<Answer | null> {
  let response: ReturnType<Exchange['begin']> | undefined
  const timer = setInterval(() => {
    response ??= beginXml(exchange)
    response.write(' ')
  }, SILENCE_MS)
  try {
    const answer = await work
    if (response === undefined) return answer
    response.end((answer?.body ?? '').replace(XML_DECLARATION, ''))
    return null
  } catch (error) {
    if (response === undefined) throw error
    const known = toS3Error(error, { bucket: target.bucket ?? '', key: target.key ?? '' }, operation)
    response.end(errorDocument(known, asked(exchange, target)))
    throw known
  } finally {
    clearInterval(timer)
  }
}

function beginXml(exchange: Exchange) {
  const response = exchange.begin(xml(''))
  response.write(XML_DECLARATION)
  return response
}

/** What an error document says about the request. */
function asked({ request, requestId, target: sent }: Exchange, target: Target | undefined) {
  return { method: request.method ?? '', resource: target?.resource ?? sent.split('?', 1)[0] ?? '/', requestId }
}
