import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { serverBinary } from '@tideport/dev-stack/binaries/server-binary'
import { pinnedVersion, serverTools } from '@tideport/dev-stack/binaries/server-tool'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'

/** The releases of nats-server and versitygw with the programs that the tests use. `folder` is empty. */
export async function serveServerReleases(folder: string) {
  const files = new Map<string, Buffer>()
  for (const name of ['nats-server', 'versitygw'] as const) {
    const tool = serverTools[name]
    const archive = tool.release.archive(await pinnedVersion(tool))
    const content = join(folder, basename(archive, '.tar.gz'))
    await mkdir(content)
    await copyFile(await serverBinary(name), join(content, name))
    await promisify(execFile)('tar', ['-czf', join(folder, archive), '-C', folder, basename(content)])
    const bytes = await readFile(join(folder, archive))
    const digest = createHash(tool.release.algorithm).update(bytes).digest('hex')
    files.set(archive, bytes).set(tool.release.checksums(archive), Buffer.from(`${digest}  ${archive}\n`))
  }
  const requests: string[] = []
  const server = createServer((request, response) => {
    const name = basename(request.url ?? '')
    requests.push(name)
    response.writeHead(files.has(name) ? 200 : 404).end(files.get(name))
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  return { url, requests, [Symbol.asyncDispose]: () => closeAtOnce(server) }
}
