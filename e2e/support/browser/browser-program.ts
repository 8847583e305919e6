import { arch, platform } from 'node:os'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { type Environment, hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { type BrowserProgram, unpackedChromium } from './unpacked-chromium.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const macPlaces = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** Says what to do where there is no browser. */
export const howToGetOne =
  'There is no Chromium for this machine among the npm packages. Install Chromium or Chrome, or name one in CHROMIUM_BIN.'

/**
 * A Chromium of this machine: the one that CHROMIUM_BIN names, one that is installed, else the one that comes with
 * `npm ci`. Undefined where there is none of these, which is never on Linux x64.
 */
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
