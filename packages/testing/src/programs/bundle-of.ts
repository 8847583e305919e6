import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))

/** The bundle of a program of the checkout, if this run has one; otherwise its source. */
export function bundleOf(source: string): string {
  const { TEST_PROGRAMS: bundles } = hostEnvironment()
  if (bundles === undefined || !source.startsWith(checkout)) return source
  const bundle = join(bundles, relative(checkout, source))
  return existsSync(bundle) ? bundle : source
}
