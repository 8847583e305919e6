import { run } from '@tideport/service-kit/process/run'
import { auth } from './service.ts'

await run([auth], process.env)
