import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readManifest } from '@tideport/contracts/public/manifest'
import { type ManifestPlace, manifestLines } from '@tideport/export/records/manifest-lines'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { createSlots } from '@tideport/service-kit/process/slots'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { OpenAccount } from '../vaults/default-vault.ts'

export interface ManifestDeps {
  db: Kysely<FilesDb>
  networks: Networks
  openAccount: OpenAccount
  log: Log
}

/**
 * Concurrent manifests of all accounts; each account can have one. A manifest reads the database as fast as the client
 * reads the response.
 */
const RUNNING_MAX = 16
/** Cost in requests. A page of a list costs one. */
const COST = 20

const { id, microseconds } = positionParts
const count = z.int().min(0)
const place: z.ZodType<ManifestPlace> = z.object({
  at: microseconds,
  id,
  vaultsUntil: microseconds,
  vaults: count,
  files: count,
  bytes: count,
})

/** A failure closes the connection before the last line; a client continues after the cursor of a line. */
export function readManifestRoute({ db, networks, openAccount, log }: ManifestDeps) {
  const slots = createSlots(RUNNING_MAX, 'Too many manifests are being downloaded. Try again later.')
  const reading = new Set<string>()
  return serve(readManifest, async ({ principal: { accountId }, query: { cursor }, request, reply, charge }) => {
    const cursors = await listCursor(db, { reader: accountId, list: 'manifest' }, place)
    const from = cursors.decode(cursor)
    await openAccount(accountId)
    charge(COST)
    reply.code(200).headers({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
    if (request.method === 'HEAD') return reply.send()
    if (reading.has(accountId)) {
      throw new AppError(
        'rate_limited',
        'The account is already downloading its manifest. Try again when the download has finished.',
        { retryAfterSeconds: 5 },
      )
    }
    const release = slots.take()
    reading.add(accountId)
    try {
      const lines = manifestLines({ db, networks, log, cursorOf: cursors.encode }, accountId, from)
      // Errors before the second line get a normal error response. At least one of the first two lines requires the
      // database.
      const begun = [await lines.next(), await lines.next()].flatMap(({ done, value }) => (done ? [] : [value]))
      reply.hijack()
      reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
      await pipeline(Readable.from(texts(begun, lines)), reply.raw)
    } catch (error) {
      if (!reply.sent) throw error
      // After the client has disconnected, errors are a consequence of that.
      if (!request.raw.socket.destroyed) log.error({ err: error }, 'manifest cut off')
      reply.raw.destroy()
    } finally {
      release()
      reading.delete(accountId)
    }
    return reply
  })
}

async function* texts(begun: readonly object[], lines: AsyncIterable<object>): AsyncGenerator<string> {
  for (const line of begun) yield `${JSON.stringify(line)}\n`
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}
