import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { runCommand } from '../processes/run-command.ts'
import type { BinaryRequest } from './binary-request.ts'
import { pinnedVersion } from './server-tool.ts'

const releasesUrl = 'https://github.com'
/** A server that sends no bytes for this time counts as unavailable. */
const idleMs = 5_000
const progressEveryMs = 2_000

/** Verifies the release by its SHA-2 digest. Returns the binary's path. `TIDEPORT_RELEASES_URL` replaces the server. */
export async function downloadRelease({ tool, workDir, environment, out }: BinaryRequest): Promise<string> {
  const version = await pinnedVersion(tool)
  const archive = tool.release.archive(version)
  const base = `${environment.TIDEPORT_RELEASES_URL || releasesUrl}/${tool.release.path}/${version}`
  const wanted = checksumOf(archive, await downloadText(`${base}/${tool.release.checksums(archive)}`))
  const file = join(workDir, archive)
  out(`${tool.name}: downloading ${base}/${archive}`)
  const report = (progress: string) => out(`${tool.name}: downloaded ${progress}`)
  const actual = await downloadFile(`${base}/${archive}`, { file, algorithm: tool.release.algorithm, report })
  if (actual !== wanted)
    throw new Error(`the ${tool.release.algorithm} of ${archive} is ${actual}, but the release lists ${wanted}`)
  const args = ['-xzf', file, '-C', workDir, '--strip-components=1']
  await runCommand('tar', args, { env: environment, timeoutMs: 60_000 })
  return join(workDir, tool.name)
}

function checksumOf(archive: string, checksums: string): string {
  const line = checksums.split('\n').find((candidate) => candidate.trim().split(/\s+\*?/)[1] === archive)
  if (line === undefined) throw new Error(`the release has no ${archive}`)
  return line.trim().split(/\s+/)[0] as string
}

async function downloadText(url: string): Promise<string> {
  let text = ''
  for await (const chunk of download(url)) text += Buffer.from(chunk).toString('utf8')
  return text
}

type FileOptions = { file: string; algorithm: string; report: (progress: string) => void }

async function downloadFile(url: string, { file, algorithm, report }: FileOptions): Promise<string> {
  const hash = createHash(algorithm)
  let total = 0
  let received = 0
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      received += chunk.length
      yield chunk
    }
  }
  const timer = setInterval(() => report(progressOf(received, total)), progressEveryMs)
  try {
    const chunks = download(url, (size) => {
      total = size
    })
    await pipeline(chunks, hashed, createWriteStream(file))
  } finally {
    clearInterval(timer)
  }
  return hash.digest('hex')
}

function progressOf(received: number, total: number): string {
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1)
  return `${mebibytes(received)} ${total > 0 ? `of ${mebibytes(total)} ` : ''}MiB`
}

async function* download(url: string, onSize: (bytes: number) => void = () => {}): AsyncGenerator<Uint8Array> {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(new Error(`received nothing for ${idleMs / 1000} s`)), idleMs)
  try {
    const response = await fetch(url, { signal: idle.signal })
    if (!response.ok || response.body === null) throw new Error(`the server returned ${response.status}`)
    onSize(Number(response.headers.get('content-length')))
    for await (const chunk of response.body) {
      timer.refresh()
      yield chunk
    }
  } catch (error) {
    throw new Error(`${url}: ${reasonOf(error as Error)}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

const reasonOf = (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message)
