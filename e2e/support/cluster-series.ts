import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const worker = '{namespace="t",horizontalpodautoscaler="tideport-sync"} 1'
const scaled = '{namespace="t",scaledObject="tideport-sync"} 0'
const consumer = '{is_consumer_leader="true",stream_name="JOBS",consumer_name="store-embedded"} 0'

/** What KEDA, kube-state-metrics, cert-manager and the exporters of NATS and of probes tell in a cluster, and no process of ours does. */
export const clusterSeries = [
  `kube_horizontalpodautoscaler_status_current_replicas${worker}`,
  `kube_horizontalpodautoscaler_status_desired_replicas${worker}`,
  `kube_horizontalpodautoscaler_spec_max_replicas${worker}`,
  'kube_job_failed{namespace="t",job_name="tideport-migrate",condition="true"} 0',
  ...[
    'keda_scaler_metrics_value',
    'keda_scaler_active',
    'keda_scaler_detail_errors_total',
    'keda_scaled_object_errors_total',
    'keda_scaled_object_paused',
    'keda_scaler_metrics_latency_seconds',
  ].map((name) => `${name}${scaled}`),
  'certmanager_certificate_expiration_timestamp_seconds{namespace="t",name="tideport-tls"} 4000000000',
  'probe_ssl_earliest_cert_expiry{job="tideport-certificates",instance="postgres:5432"} 4000000000',
  ...['num_pending', 'num_ack_pending', 'num_redelivered', 'num_waiting'].map(
    (name) => `jetstream_consumer_${name}${consumer}`,
  ),
]

/** Serves them on loopback. */
export async function serveClusterSeries() {
  const server = createServer((_request, response) => {
    // Prometheus 3 reads nothing without it.
    response.setHeader('content-type', 'text/plain; version=0.0.4')
    response.end(`${clusterSeries.join('\n')}\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
