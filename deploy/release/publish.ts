// publish.ts DIRECTORY [OPTION…]: publishes the packages of npm run pack with `npm publish OPTION…`. Continues after an
// interruption: it skips a package that the registry already has with the same bytes.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const [directory = '', ...options] = process.argv.slice(2)
const npm = (...args: string[]) => promisify(execFile)('npm', args)

for (const file of (await readdir(directory)).filter((name) => name.endsWith('.tgz'))) {
  const path = join(directory, file)
  const { name, version } = await readManifest(path)
  const published = await publishedIntegrity(`${name}@${version}`)
  const integrity = `sha512-${createHash('sha512')
    .update(await readFile(path))
    .digest('base64')}`
  if (published !== undefined && published !== integrity) {
    process.stderr.write(`The registry has other bytes for ${name}@${version}. Release a new version.\n`)
    process.exit(1)
  }
  if (published === undefined) {
    const tag = version.includes('-') ? 'next' : 'latest'
    await npm('publish', path, '--access', 'public', '--tag', tag, ...options)
  }
  process.stdout.write(`${name}@${version} ${published ? 'was published before' : 'published'}\n`)
}

async function readManifest(tarball: string): Promise<{ name: string; version: string }> {
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', tarball, 'package/package.json'])
  return JSON.parse(stdout)
}

/** Undefined if the registry does not have this version. */
async function publishedIntegrity(spec: string): Promise<string | undefined> {
  try {
    return JSON.parse((await npm('view', spec, 'dist.integrity', '--json')).stdout || 'null') ?? undefined
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string }
    if (stdout.includes('"E404"')) return undefined
    throw error
  }
}
