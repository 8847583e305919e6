import type { Release } from './app.ts'
import { casaos, coolify, truenas, umbrel } from './compose-stores.ts'
import { unraid } from './unraid.ts'

/** The text of each file, by its name among the files of the release. */
export function definitions(release: Release): Record<string, string> {
  const { manifest, compose } = umbrel(release)
  const template = 'app-unraid.xml'
  return {
    'app-coolify.yaml': coolify(release),
    'app-casaos.yaml': casaos(release),
    'app-truenas.yaml': truenas(release),
    'app-umbrel.yaml': manifest,
    'app-umbrel-compose.yaml': compose,
    [template]: unraid(release, template),
  }
}
