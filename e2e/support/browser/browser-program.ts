import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { type Environment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const macPlaces = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** Advice for machines without a browser. */
export const howToGetOne =
  'There is no Chromium for this machine among the npm packages. Install Chromium or Chrome, or name one in CHROMIUM_BIN.'

/** CHROMIUM_BIN, an installed Chromium, or the one from `npm ci`. Undefined without any, but never on Linux x64. */
export async function browserProgram(env: Environment = hostEnvironment()): Promise<BrowserProgram | undefined> {
  if (env.CHROMIUM_BIN) return { path: env.CHROMIUM_BIN, env }
  for (const name of names) {
    const [path] = await findOnPath(name, env)
    if (path !== undefined) return { path, env }
  }
  if (platform() === 'darwin') {
    for (const path of macPlaces) if (await exists(path)) return { path, env }
  }
  return platform() === 'linux' && arch() === 'x64' ? await unpackedChromium(env) : undefined
}

interface BrowserProgram {
  path: string
  /** The environment that the browser needs. */
  env: Environment
}

const packageDir = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')))

/** The npm package's Chromium with its libraries and fonts, unpacked into the cache once for each version. */
async function unpackedChromium(env: Environment): Promise<BrowserProgram> {
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8'))
  const dir = join(cacheDir(env), `chromium-${version}`)
  if (!(await exists(dir))) {
    await mkdir(dirname(dir), { recursive: true, mode: 0o755 })
    await withFileLock(`${dir}.lock`, async () => {
      if (!(await exists(dir))) await unpackInto(dir, env)
    })
  }
  const libraries = [join(dir, 'lib'), env.LD_LIBRARY_PATH].filter(Boolean).join(':')
  return {
    path: join(dir, 'chromium'),
    env: { ...env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(dir, 'our-fonts.conf') },
  }
}

async function unpackInto(dir: string, env: Environment): Promise<void> {
  const temporary = await mkdtemp(`${dir}.`)
  try {
    await decompress('chromium.br', createWriteStream(join(temporary, 'chromium'), { mode: 0o755 }))
    for (const archive of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br']) {
      await untar(archive, temporary, env)
    }
    await writeFile(join(temporary, 'our-fonts.conf'), fontSettings(dir))
    await rename(temporary, dir)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function untar(archive: string, dir: string, env: Environment): Promise<void> {
  const file = join(dir, 'archive.tar')
  await decompress(archive, createWriteStream(file))
  await runCommand('tar', ['-xf', file, '--no-same-owner', '-C', dir], { env, timeoutMs: 60_000 })
  await rm(file)
}

const decompress = (file: string, target: Writable) =>
  pipeline(createReadStream(join(packageDir, 'bin', file)), createBrotliDecompress(), target)

/** The font settings of the package name directories of another system. Without fonts, Chromium exits. */
function fontSettings(dir: string): string {
  const path = (name: string) => join(dir, name).replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path('fonts')}</dir>
  <cachedir>${path('font-cache')}</cachedir>
</fontconfig>
`
}
