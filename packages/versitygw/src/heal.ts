import { mkdir } from 'node:fs/promises'
import { healInterruptedUploads } from './heal-interrupted-uploads.ts'

/**
 * `versitygw-heal OBJECTS METADATA`: readies the two trees of a versitygw that does not run; makes them when missing.
 */
const [objects, metadata] = process.argv.slice(2)
if (objects === undefined || metadata === undefined) {
  process.stderr.write('Usage: versitygw-heal OBJECTS METADATA\n')
  process.exit(2)
}
for (const tree of [objects, metadata]) await mkdir(tree, { recursive: true, mode: 0o700 })
await healInterruptedUploads(objects, metadata)
