import { run } from '@tideport/service-kit/process/run'
import { sync } from './service.ts'

await run([sync], process.env)
