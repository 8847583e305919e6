import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { pinnedVersion, type ServerName, serverTools } from '../src/binaries/server-tool.ts'

/** A local server of release archives. `requests` lists the requested paths. */
export type ReleaseServer = AsyncDisposable & { url: string; requests: string[] }

export async function serveReleases(answer: RequestListener): Promise<ReleaseServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    answer(request, response)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}

/** Returns the file with the last segment of the path as its name, or 404. */
export function answerWith(files: Record<string, Buffer | string>): RequestListener {
  return (request, response) => {
    const file = files[basename(request.url ?? '')]
    response.writeHead(file === undefined ? 404 : 200).end(file)
  }
}

/** A release of `name` in the project's format, with a program that prints the pinned version. */
export async function makeRelease(name: ServerName, workDir: string) {
  const { archive, checksums, algorithm } = serverTools[name].release
  const version = await pinnedVersion(serverTools[name])
  const archiveName = archive(version)
  const dir = join(workDir, basename(archiveName, '.tar.gz'))
  await mkdir(dir, { recursive: true })
  await writeProgram(join(dir, name), `echo "${name}: ${version}"`)
  const file = join(workDir, archiveName)
  await promisify(execFile)('tar', ['-czf', file, '-C', workDir, basename(dir)])
  const content = await readFile(file)
  const line = `${createHash(algorithm).update(content).digest('hex')}  ${archiveName}\n`
  const checksumsName = checksums(archiveName)
  return { archiveName, checksumsName, files: { [archiveName]: content, [checksumsName]: line } }
}

/** Writes a shell program to `path`. */
export async function writeProgram(path: string, script: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}
