import { join } from 'node:path'
import { buildPackage } from './build-package.ts'

/** `npm run build -w @tideport/sdk`: what `npm publish packages/sdk/dist` takes. */
await buildPackage(join(import.meta.dirname, '../dist'))
