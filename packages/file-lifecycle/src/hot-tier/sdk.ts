import type { Credentials } from '@tideport/s3-client/signature'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { HotTierConfig } from './hot-tier-config.ts'
import type { NewObject } from './store-object.ts'

/**
 * What the hot tier has from the SDK. That is loaded when it is first needed: 100 ms of a start, and most processes never
 * need it.
 */
export interface Sdk extends Disposable {
  /** Those of the settings, or whatever the SDK finds on this machine. */
  credentials(): Promise<Credentials>
  /** Stores a body of any length. */
  store(key: string, object: NewObject, signal: AbortSignal): Promise<void>
}

export function openSdk(config: HotTierConfig, metrics?: Metrics): Sdk {
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, s3Bucket: Bucket } = config
  let opening: Promise<Opened> | undefined
  const opened = () => {
    opening ??= open(config, metrics)
    return opening
  }
  const given = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null
  return {
    credentials: async () => given ?? (await (await opened()).client.config.credentials()),
    async store(Key, object, signal) {
      const { client, storeObject } = await opened()
      await storeObject(client.stream, { Bucket, Key }, object, signal)
    },
    [Symbol.dispose]: () => void opening?.then(({ client }) => client[Symbol.dispose]()),
  }
}

type Opened = Awaited<ReturnType<typeof open>>

async function open(config: HotTierConfig, metrics: Metrics | undefined) {
  const [{ createStoreClient }, { storeObject }] = await Promise.all([
    import('./store-client.ts'),
    import('./store-object.ts'),
  ])
  return { client: createStoreClient(config, metrics), storeObject }
}
