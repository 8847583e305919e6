#!/usr/bin/env node
import { faultOfNode } from './node-version.ts'

/** Dynamic import: an old Node cannot parse the program. These two files use only syntax that every Node supports. */
const fault = faultOfNode(process.versions.node)
if (fault === null) void import('./start.ts').then(({ start }) => start(process.env))
else {
  process.stderr.write(`tideport: ${fault}\n`)
  process.exitCode = 1
}
