import { mkdir } from 'node:fs/promises'
import { healInterruptedUploads } from './heal-interrupted-uploads.ts'

/** `versitygw-heal OBJECTS METADATA`: prepares the two trees of a stopped versitygw, and creates missing ones. */
const [objects, metadata] = process.argv.slice(2)
if (objects === undefined || metadata === undefined) {
  process.stderr.write('Usage: versitygw-heal OBJECTS METADATA\n')
  process.exit(2)
}
for (const tree of [objects, metadata]) await mkdir(tree, { recursive: true, mode: 0o700 })
await healInterruptedUploads(objects, metadata)
