import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { basename, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'

interface Manifest {
  name: string
  version: string
}

interface Publication {
  'dist-tags': Record<string, string>
  versions: Record<string, Manifest>
  _attachments: Record<string, { data: string }>
}

interface Package {
  'dist-tags': Record<string, string>
  versions: Record<string, Manifest & { dist: { tarball: string; integrity: string } }>
}

/**
 * A registry that npm publishes to and installs from, with one version of each package. It contains only what `publish`
 * and `add` bring, so an installation that needs anything else fails. Like npm's, it requires a token to publish.
 */
export async function startNpmRegistry() {
  const token = crypto.randomUUID()
  const packages = new Map<string, Package>()
  const tarballs = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown = {}) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const path = decodeURIComponent(new URL(request.url as string, url).pathname)
    const tarball = tarballs.get(path)
    if (request.method === 'PUT') void publish(request).then((status) => reply(status))
    else if (request.method !== 'GET') reply(404)
    else if (tarball) response.end(tarball)
    else if (packages.has(path.slice(1))) reply(200, packages.get(path.slice(1)))
    else reply(404)
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}/`

  async function publish(request: IncomingMessage): Promise<number> {
    const { versions, _attachments, ...publication } = (await json(request)) as Publication
    if (request.headers.authorization !== `Bearer ${token}`) return 401
    const [manifest] = Object.values(versions)
    const [attachment] = Object.values(_attachments)
    if (!manifest || !attachment || packages.has(manifest.name)) return 403
    keep(manifest, Buffer.from(attachment.data, 'base64'), publication['dist-tags'])
    return 201
  }

  function keep(manifest: Manifest, bytes: Buffer, tags: Record<string, string>): void {
    const path = `/${manifest.name}/-/${basename(manifest.name)}-${manifest.version}.tgz`
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    const dist = { tarball: new URL(path, url).href, integrity }
    packages.set(manifest.name, { 'dist-tags': tags, versions: { [manifest.version]: { ...manifest, dist } } })
    tarballs.set(path, bytes)
  }

  return {
    /** Changes the digest of a package until the returned function is called. */
    damage(name: string): () => void {
      const [version] = Object.values((packages.get(name) as Package).versions)
      const { dist } = version as Package['versions'][string]
      const { integrity } = dist
      dist.integrity = 'sha512-other'
      return () => {
        dist.integrity = integrity
      }
    },
    /** What a user's `.npmrc` needs to publish. */
    npmrc: `registry=${url}\n${url.replace('http:', '')}:_authToken=${token}\n`,
    /** Adds a package of another project, from its folder and its tarball. */
    async add(folder: string, tarball: string): Promise<void> {
      const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
      keep(manifest, await readFile(tarball), { latest: manifest.version })
    },
    [Symbol.asyncDispose]: () => closeAtOnce(server),
  }
}
