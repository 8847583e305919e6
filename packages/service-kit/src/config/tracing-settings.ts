import { z } from 'zod'
import { baseUrl, boolean, decimal, secret, url } from './setting.ts'

const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplerNames)[number]

/** OpenTelemetry's own names, checked at start. The exporter itself reads the settings that only it needs. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: boolean().default(false).describe('true: no spans are recorded, even if an endpoint is set'),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe('Base URL of an OTLP collector; Tideport appends /v1/traces; unset: no spans are recorded'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url().optional().describe('URL for traces only, used unchanged'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf'], 'must be http/protobuf, the only supported protocol')
    .default('http/protobuf')
    .describe('Protocol for sending spans'),
  OTEL_EXPORTER_OTLP_HEADERS: secret(z.string()).optional().describe('Headers for the collector: name=value,…'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplerNames)
    .default('parentbased_always_on')
    .describe('Which traces are recorded; the gateway decides for every service because traces begin there'),
  OTEL_TRACES_SAMPLER_ARG: decimal({ max: 1 })
    .default(1)
    .describe('Share of traces that the ratio samplers record, 0 to 1'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name in traces; unset: tideport- and the name of the service'),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional().describe('Additional attributes of the process: name=value,…'),
}
