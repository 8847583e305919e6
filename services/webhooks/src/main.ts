import { run } from '@tideport/service-kit/process/run'
import { webhooks } from './service.ts'

await run([webhooks], process.env)
