import { join } from 'node:path'
import { buildPackage } from './build-package.ts'

/** `npm run build -w @tideport/cli`: what `npm publish packages/cli/dist` takes. */
await buildPackage(join(import.meta.dirname, '../dist'))
