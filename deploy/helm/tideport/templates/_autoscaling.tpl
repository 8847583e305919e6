{{/* HPA behavior of both modes. Takes the autoscaling values. */}}
{{- define "tideport.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies:
    - {type: Percent, value: 100, periodSeconds: 30}
    - {type: Pods, value: 4, periodSeconds: 30}
scaleDown:
  stabilizationWindowSeconds: {{ .scaleDownSeconds }}
  policies:
    - {type: Pods, value: 1, periodSeconds: 60}
{{- end }}

{{/* A trigger for each queue, or for the CPU if the component has no queue. Takes root and values (merged). */}}
{{- define "tideport.triggers" -}}
{{- $scaling := .values.autoscaling }}
{{- $root := .root }}
{{- if not .values.queues }}
- type: cpu
  metricType: Utilization
  metadata: {value: {{ $scaling.cpu | quote }}}
{{- else if eq $scaling.trigger "metrics-api" }}
- type: metrics-api
  metricType: AverageValue
  metadata:
    url: {{ $scaling.metricsApi.url | quote }}
    valueLocation: {{ $scaling.metricsApi.valueLocation | quote }}
    format: {{ $scaling.metricsApi.format | quote }}
    targetValue: {{ $scaling.lagPerReplica | quote }}
{{- else }}
{{- range $queue := .values.queues }}
- type: {{ $scaling.trigger }}
  metricType: AverageValue
  metadata:
    {{- if eq $scaling.trigger "prometheus" }}
    {{- $select := printf "{is_consumer_leader=\"true\",stream_name=%q,consumer_name=%q}" $queue.stream $queue.consumer }}
    serverAddress: {{ $scaling.prometheus.serverAddress | quote }}
    query: {{ default (printf "sum(jetstream_consumer_num_pending%s) + sum(jetstream_consumer_num_ack_pending%s)" $select $select) $scaling.prometheus.query | quote }}
    threshold: {{ $scaling.lagPerReplica | quote }}
    {{- /* A missing series must not look like an empty queue. */}}
    ignoreNullValues: "false"
    {{- else }}
    {{- $endpoint := $root.Values.nats.monitoring.endpoint }}
    {{- if $root.Values.dev.nats.enabled }}{{ $endpoint = printf "%s-nats.%s.svc:8222" (include "tideport.fullname" $root) $root.Release.Namespace }}{{ end }}
    natsServerMonitoringEndpoint: {{ $endpoint | quote }}
    {{- if not $root.Values.nats.monitoring.accountSecret }}
    account: {{ $root.Values.nats.account | quote }}
    {{- end }}
    stream: {{ $queue.stream | quote }}
    consumer: {{ $queue.consumer | quote }}
    lagThreshold: {{ $scaling.lagPerReplica | quote }}
    {{- /* Jobs of a dead worker also count until they are requeued, so even 1 message must start a pod. */}}
    activationLagThreshold: "0"
    useHttps: {{ $root.Values.nats.monitoring.https | quote }}
    {{- end }}
  {{- if $scaling.authenticationRef }}
  authenticationRef:
    {{- toYaml $scaling.authenticationRef | nindent 4 }}
  {{- else if include "tideport.hasTriggerAuthentication" (dict "root" $root "values" $.values) }}
  authenticationRef: {name: {{ include "tideport.fullname" $root }}}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.hasTriggerAuthentication" -}}
{{- if and .root.Values.nats.monitoring.accountSecret (eq .values.autoscaling.trigger "nats-jetstream") }}true{{ end -}}
{{- end }}
