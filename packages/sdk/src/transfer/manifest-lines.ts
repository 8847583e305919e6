import type { Client } from '../client/create-client.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import { readManifest } from '../generated/calls.ts'
import type { FileCopy, FileRecord, Vault } from '../generated/shapes.ts'
import { chunksOf, watchSilence } from './read-bytes.ts'

/** A line of manifest version 1. */
export type ManifestLine =
  | {
      type: 'tideport-manifest'
      version: 1
      accountId: string
      createdAt: string
      networks: { name: string; driver: string }[]
    }
  | (Vault & { type: 'vault' })
  /** A folder that the vault keeps even if it is empty. */
  | { type: 'folder'; vaultId: string; path: string }
  | (FileRecord & {
      type: 'file'
      isLatest: boolean
      copies: (FileCopy & { reference: string })[]
      /** Continues the manifest after this line. */
      cursor?: string
    })
  | { type: 'end'; vaults: number; files: number; bytes: number }

export interface ManifestOptions {
  /** The cursor of the last stored line; the manifest continues after it. Default: from the start. */
  cursor?: string | undefined
  signal?: AbortSignal | undefined
}

/** Maximum characters of a line; a file with the maximum of labels is far below. */
const LINE_MAX = 1024 ** 2

/**
 * Yields the lines of the account's manifest up to `end`. Resumes broken connections. Rejects with a `NetworkError`
 * after repeated failures without a line, an `ApiError`, or the signal's reason.
 */
export async function* manifestLines(
  client: Client,
  { cursor: from, signal = new AbortController().signal }: ManifestOptions = {},
): AsyncGenerator<ManifestLine> {
  let cursor = from
  for (let failed = 0; ; ) {
    // Lines of vaults have no cursor, so the lines before the first cursor would repeat.
    let held: ManifestLine[] = []
    try {
      for await (const line of linesOf(client, cursor, signal)) {
        held.push(line)
        const place = line.type === 'file' ? line.cursor : undefined
        if (place === undefined && line.type !== 'end') continue
        if (place !== undefined && place === cursor) throw new ProtocolError('The manifest repeats a cursor')
        yield* held
        if (line.type === 'end') return
        held = []
        cursor = place
        failed = 0
      }
      throw new NetworkError('The manifest was interrupted')
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof NetworkError) || ++failed >= client.attempts) throw error
      await pause(backoffMs(failed), signal)
    }
  }
}

async function* linesOf(client: Client, cursor: string | undefined, signal: AbortSignal): AsyncGenerator<ManifestLine> {
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  const response = await readManifest(client, { cursor }, { signal: either })
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(response, watchSilence(silence, client.timeoutMs), signal, either)) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n')
    rest += first
    for (const next of more) {
      yield parse(rest)
      rest = next
    }
    if (rest.length > LINE_MAX) throw new ProtocolError('The manifest has a line that is too long')
  }
}

function parse(text: string): ManifestLine {
  try {
    const line = JSON.parse(text)
    if (typeof line.type === 'string') return line
  } catch {}
  throw new ProtocolError('The manifest has an invalid line')
}
