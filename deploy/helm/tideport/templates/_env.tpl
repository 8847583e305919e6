{{/* Takes name, secret, key. */}}
{{- define "tideport.fromSecret" -}}
- name: {{ .name }}
  valueFrom: {secretKeyRef: {name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }}}}
{{- end }}

{{/* Secret and key of an owner's Postgres URL, as YAML. Takes root, owner, and migration: whether the URL must bypass a pooler. */}}
{{- define "tideport.databaseRef" -}}
{{- $postgres := .root.Values.postgres -}}
{{- if .root.Values.dev.postgres.enabled -}}
secret: {{ include "tideport.fullname" .root }}-postgres
key: uri
{{- else -}}
{{- $role := index $postgres.roles .owner -}}
{{- $key := default $postgres.uriKey $role.uriKey -}}
{{- $direct := default $postgres.migrationUriKey $role.migrationUriKey -}}
secret: {{ default $postgres.existingSecret $role.existingSecret }}
key: {{ ternary (default $key $direct) $key (and .migration (not (empty $direct))) }}
{{- end -}}
{{- end }}

{{/* Takes root, owner, name of the variable, and migration. */}}
{{- define "tideport.env.database" -}}
{{- $ref := include "tideport.databaseRef" . | fromYaml -}}
{{ include "tideport.fromSecret" (dict "name" .name "secret" $ref.secret "key" $ref.key) }}
{{- end }}

{{/* The Secret with the NATS user of a process. Takes root and name. */}}
{{- define "tideport.natsSecret" -}}
{{- default .root.Values.nats.existingSecret (get .root.Values.nats.secrets .name) -}}
{{- end }}

{{/* Takes root and name. */}}
{{- define "tideport.env.nats" -}}
{{- $root := .root }}
{{- $nats := $root.Values.nats }}
{{- if $root.Values.dev.nats.enabled }}
- {name: NATS_URL, value: "nats://{{ include "tideport.fullname" $root }}-nats:4222"}
{{- else if $nats.urlKey }}
{{ include "tideport.fromSecret" (dict "name" "NATS_URL" "secret" (include "tideport.natsSecret" .) "key" $nats.urlKey) }}
{{- else }}
- {name: NATS_URL, value: {{ $nats.url | quote }}}
{{- end }}
{{- if $nats.credsKey }}
- {name: NATS_CREDS, value: /etc/tideport/nats/nats.creds}
{{- end }}
- {name: STREAM_REPLICAS, value: {{ ternary 1 $root.Values.jetstream.replicas $root.Values.dev.nats.enabled | quote }}}
{{- with $root.Values.jetstream.streams }}
{{- range $name, $value := dict "EVENTS_MAX_BYTES" .events.maxBytes "EVENTS_MAX_AGE_SECONDS" .events.maxAgeSeconds "JOBS_MAX_BYTES" .jobs.maxBytes "JOBS_MAX_AGE_SECONDS" .jobs.maxAgeSeconds "JOBS_IN_FLIGHT_MAX" .jobs.inFlightMax }}
{{- if not (kindIs "invalid" $value) }}
- {name: {{ $name }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.env.s3" -}}
{{- $s3 := .Values.s3 }}
{{- if .Values.dev.s3.enabled }}
{{- $own := printf "%s-s3" (include "tideport.fullname" .) }}
- {name: S3_ENDPOINT, value: "http://{{ $own }}:9000"}
- {name: S3_PUBLIC_ENDPOINT, value: {{ default (printf "http://%s:9000" $own) $s3.publicEndpoint | quote }}}
- {name: S3_REGION, value: us-east-1}
- {name: S3_BUCKET, value: {{ default "tideport" $s3.bucket }}}
- {name: S3_FORCE_PATH_STYLE, value: "true"}
{{ include "tideport.fromSecret" (dict "name" "AWS_ACCESS_KEY_ID" "secret" $own "key" "access-key-id") }}
{{ include "tideport.fromSecret" (dict "name" "AWS_SECRET_ACCESS_KEY" "secret" $own "key" "secret-access-key") }}
{{- else }}
{{- with $s3.endpoint }}
- {name: S3_ENDPOINT, value: {{ . | quote }}}
{{- end }}
{{- with $s3.publicEndpoint }}
- {name: S3_PUBLIC_ENDPOINT, value: {{ . | quote }}}
{{- end }}
- {name: S3_REGION, value: {{ $s3.region | quote }}}
- {name: S3_BUCKET, value: {{ $s3.bucket | quote }}}
- {name: S3_FORCE_PATH_STYLE, value: {{ $s3.forcePathStyle | quote }}}
{{- with $s3.existingSecret }}
{{ include "tideport.fromSecret" (dict "name" "AWS_ACCESS_KEY_ID" "secret" . "key" $s3.accessKeyKey) }}
{{ include "tideport.fromSecret" (dict "name" "AWS_SECRET_ACCESS_KEY" "secret" . "key" $s3.secretKeyKey) }}
{{- end }}
{{- end }}
{{- end }}

{{/* For `operator set-up bucket` in any pod: null keeps the bucket's CORS rule, an empty list removes it. */}}
{{- define "tideport.env.cors" -}}
{{- if not (kindIs "invalid" .Values.config.corsOrigins) }}
{{- $origins := .Values.config.corsOrigins }}
{{- if and .Values.console.enabled .Values.config.publicUrl (not (has "*" $origins)) }}{{ $origins = append $origins (include "tideport.originOf" .Values.config.publicUrl) | uniq }}{{ end }}
- {name: CORS_ORIGINS, value: {{ join "," $origins | default "," | quote }}}
{{- end }}
{{- end }}

{{/* The origin of config.publicUrl, as browsers send it. */}}
{{- define "tideport.originOf" -}}
{{- with urlParse . }}{{ .scheme }}://{{ regexReplaceAll (ternary ":443$" ":80$" (eq .scheme "https")) .host "" }}{{ end }}
{{- end }}

{{/* The path of the console in the image, and the origin of presigned URLs. */}}
{{- define "tideport.env.console" -}}
{{- if .Values.console.enabled }}
{{- $s3 := .Values.s3 }}
{{- $own := ternary (printf "http://%s-s3:9000" (include "tideport.fullname" .)) (printf "https://s3.%s.amazonaws.com" $s3.region) .Values.dev.s3.enabled }}
{{- $store := include "tideport.originOf" (coalesce $s3.publicEndpoint $s3.endpoint $own) }}
{{- if not (or .Values.dev.s3.enabled $s3.forcePathStyle) }}{{ $store = $store | replace "://" (printf "://%s." $s3.bucket) }}{{ end }}
{{- $origins := append .Values.console.connectOrigins $store | uniq }}
- {name: CONSOLE_DIR, value: /app/console}
- {name: CONSOLE_CONNECT_ORIGINS, value: {{ join "," $origins | quote }}}
{{- end }}
{{- end }}

{{/* The role that creates schemas and roles: the administrator, or the one role that owns all schemas. With separate roles and no administrator, you create them. */}}
{{- define "tideport.env.admin" -}}
{{- $postgres := .Values.postgres }}
{{- $ownRoles := or $postgres.roles.auth.existingSecret $postgres.roles.files.existingSecret $postgres.roles.webhooks.existingSecret }}
{{- if and $postgres.admin.existingSecret (not .Values.dev.postgres.enabled) }}
{{- include "tideport.fromSecret" (dict "name" "ADMIN_DATABASE_URL" "secret" $postgres.admin.existingSecret "key" (default "uri" $postgres.admin.uriKey)) }}
{{- else if or .Values.dev.postgres.enabled (not $ownRoles) }}
{{- include "tideport.env.database" (dict "root" . "owner" "files" "name" "ADMIN_DATABASE_URL" "migration" true) }}
{{- end }}
{{- end }}

{{/* Only the names of networks, for the Job that creates their queues. */}}
{{- define "tideport.env.networkNames" -}}
{{- if .Values.storage.networks }}
{{- $names := list }}
{{- range .Values.storage.networks }}{{ $names = append $names .name }}{{ end }}
- {name: STORAGE_NETWORKS, value: {{ join "," $names | quote }}}
{{- else }}
- {name: STORAGE_NETWORK, value: {{ .Values.storage.network }}}
{{- end }}
{{- end }}

{{- define "tideport.env.volume" -}}
{{- include "tideport.env.networkNames" . }}
- {name: EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY, value: {{ .Values.storage.embedded.acceptSingleCopy | quote }}}
{{- if .Values.storage.networks }}
{{- range include "tideport.networks" . | fromJsonArray }}
{{- $prefix := printf "NETWORK_%s" (.name | upper | replace "-" "_") }}
- {name: {{ $prefix }}_DRIVER, value: {{ .driver }}}
- {name: {{ $prefix }}_ROLE, value: {{ .role }}}
{{- range $name, $value := dict "CHECK_BYTES_PER_DAY" .checkBytesPerDay "CHECK_REQUESTS_PER_DAY" .checkRequestsPerDay "READ_PRICE_GB" .readPriceGb "STORE_PRICE_GB_MONTH" .storePriceGbMonth }}
{{- if not (kindIs "invalid" $value) }}
- {name: {{ $prefix }}_{{ $name }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- end }}
{{- $ipfs := .ipfs }}
{{- if eq .driver "s3" }}
{{- $s3 := .s3 }}
{{- range $name, $value := dict "ENDPOINT" $s3.endpoint "REGION" $s3.region "BUCKET" $s3.bucket "FORCE_PATH_STYLE" $s3.forcePathStyle "STORAGE_CLASS" $s3.storageClass "MIN_BILLED_BYTES" $s3.minBilledBytes "LOCK_DAYS" $s3.lockDays "LOCK_MODE" $s3.lockMode "RESTORE_TIER" $s3.restoreTier "RESTORE_DAYS" $s3.restoreDays }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- {name: {{ $prefix }}_{{ $name }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- end }}
{{ include "tideport.fromSecret" (dict "name" (printf "%s_ACCESS_KEY_ID" $prefix) "secret" $s3.existingSecret "key" $s3.accessKeyKey) }}
{{ include "tideport.fromSecret" (dict "name" (printf "%s_SECRET_ACCESS_KEY" $prefix) "secret" $s3.existingSecret "key" $s3.secretKeyKey) }}
{{- else if eq .driver "ipfs" }}
- {name: {{ $prefix }}_RPC_URLS, value: {{ join "," .ipfs.rpcUrls | quote }}}
- {name: {{ $prefix }}_MFS_DIRECTORY, value: {{ .ipfs.mfsDirectory | quote }}}
- {name: {{ $prefix }}_GC_SECONDS, value: {{ include "tideport.string" .ipfs.gcSeconds | quote }}}
{{- with .ipfs.existingSecret }}
{{ include "tideport.fromSecret" (dict "name" (printf "%s_RPC_TOKEN" $prefix) "secret" . "key" $ipfs.tokenKey) }}
{{- end }}
{{- else if eq .driver "walrus" }}
{{- $walrus := .walrus }}
{{- range $name, $value := dict "PUBLISHERS" $walrus.publishers "AGGREGATORS" $walrus.aggregators "JWT_SECONDS" $walrus.jwtSeconds "EPOCHS" $walrus.epochs "EPOCH_SECONDS" $walrus.epochSeconds "PERMANENT" $walrus.permanent "SEND_OBJECT_TO" $walrus.sendObjectTo "MAX_BLOB_BYTES" $walrus.maxBlobBytes "CHECK_ID_BYTES" $walrus.checkIdBytes "PROPAGATION_SECONDS" $walrus.propagationSeconds "SHARDS" $walrus.shards }}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- {name: {{ $prefix }}_{{ $name }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- end }}
{{- with $walrus.existingSecret }}
{{ include "tideport.fromSecret" (dict "name" (printf "%s_JWT_SECRET" $prefix) "secret" . "key" $walrus.jwtSecretKey) }}
{{- end }}
{{- else }}
- {name: {{ $prefix }}_DIR, value: {{ .mount }}/network}
{{- if not (kindIs "invalid" .reserveBytes) }}
- {name: {{ $prefix }}_RESERVE_BYTES, value: {{ include "tideport.string" .reserveBytes | quote }}}
{{- end }}
{{- end }}
{{- end }}
{{- else }}
- {name: EMBEDDED_NETWORK_DIR, value: /var/lib/tideport/network}
{{- if not (kindIs "invalid" .Values.storage.embedded.reserveBytes) }}
- {name: EMBEDDED_NETWORK_RESERVE_BYTES, value: {{ include "tideport.string" .Values.storage.embedded.reserveBytes | quote }}}
{{- end }}
{{- end }}
{{- end }}

{{- define "tideport.env.gateway" -}}
{{- $full := include "tideport.fullname" . }}
- {name: AUTH_URL, value: "http://{{ $full }}-auth:8081"}
- {name: FILES_URL, value: "http://{{ $full }}-files:8082"}
- {name: WEBHOOKS_URL, value: "http://{{ $full }}-webhooks:8083"}
{{ include "tideport.fromSecret" (dict "name" "IDENTITY_TOKEN_PRIVATE_KEY" "secret" .Values.keys.existingSecret "key" .Values.keys.identityTokenPrivateKeyKey) }}
{{- range $name, $value := dict "IDENTITY_PROVIDER_ISSUER" .Values.identity.issuer "IDENTITY_PROVIDER_AUDIENCE" .Values.identity.audience "IDENTITY_PROVIDER_JWKS_URL" .Values.identity.jwksUri "IDENTITY_PROVIDER_ALGORITHMS" .Values.identity.algorithms "IDENTITY_PROVIDER_CLIENT_ID" .Values.identity.clientId "IDENTITY_PROVIDER_SCOPES" .Values.identity.scopes "IDENTITY_PROVIDER_PARAMETERS" .Values.identity.parameters "IDENTITY_PROVIDER_DEVICE_FLOW" .Values.identity.deviceFlow "OPERATOR_CLAIM" .Values.identity.operatorClaim "TRUSTED_PROXIES" .Values.config.trustedProxies }}
{{- with $value }}
- {name: {{ $name }}, value: {{ include "tideport.string" . | quote }}}
{{- end }}
{{- end }}
{{- include "tideport.env.cors" . }}
{{- include "tideport.env.console" . }}
{{- if eq .Values.config.serviceEnv "development" }}
- {name: NODE_ENV, value: development}
{{- /* Names of the Service. Development mode rejects all other Host headers. */}}
- {name: DEVELOPMENT_HOSTS, value: "{{ $full }}-gateway,{{ $full }}-gateway.{{ .Release.Namespace }},{{ $full }}-gateway.{{ .Release.Namespace }}.svc,{{ $full }}-gateway.{{ .Release.Namespace }}.svc.cluster.local"}
- {name: DEVELOPMENT_ALLOW_NETWORK, value: "true"}
{{- end }}
{{- end }}

{{/* A variable can refer only to earlier variables, so the pod's own names come first. Takes root and name. */}}
{{- define "tideport.env.otel" -}}
{{- $otel := .root.Values.otel }}
{{- if $otel.enabled }}
- {name: POD_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}
- {name: POD_NAMESPACE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
- {name: NODE_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: spec.nodeName}}}
- {name: OTEL_SERVICE_NAME, value: {{ .name }}}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: service.namespace={{ include "tideport.fullname" .root }},service.version={{ .root.Chart.AppVersion }},k8s.namespace.name=$(POD_NAMESPACE),k8s.pod.name=$(POD_NAME),k8s.node.name=$(NODE_NAME)
- {name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ $otel.endpoint | quote }}}
- {name: OTEL_EXPORTER_OTLP_PROTOCOL, value: {{ $otel.protocol | quote }}}
{{- with $otel.existingSecret }}
{{ include "tideport.fromSecret" (dict "name" "OTEL_EXPORTER_OTLP_HEADERS" "secret" . "key" $otel.headersKey) }}
{{- end }}
- {name: OTEL_TRACES_SAMPLER, value: {{ $otel.sampler | quote }}}
- {name: OTEL_TRACES_SAMPLER_ARG, value: {{ $otel.ratio | quote }}}
- {name: OTEL_PROPAGATORS, value: "tracecontext,baggage"}
- {name: OTEL_METRICS_EXPORTER, value: none}
- {name: OTEL_LOGS_EXPORTER, value: none}
{{- range $name, $value := $otel.extra }}
- {name: {{ $name }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- else }}
- {name: OTEL_SDK_DISABLED, value: "true"}
{{- end }}
{{- end }}

{{- define "tideport.env.tls" -}}
{{- if .Values.tls.caSecret }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/tideport/ca/ca.crt}
{{- end }}
{{- end }}

{{/* A list without the variables that `over` overrides: server-side apply rejects two variables of the same name. Takes env and over. */}}
{{- define "tideport.overlaid" -}}
{{- $names := list -}}
{{- range .over }}{{- $names = append $names .name }}{{- end -}}
{{- $kept := list -}}
{{- range .env }}{{- if not (has .name $names) }}{{- $kept = append $kept . }}{{- end }}{{- end -}}
{{- toYaml (concat $kept .over) -}}
{{- end }}

{{/* The complete environment of a component. Takes root, name, spec (of tideport.components), and values (merged). */}}
{{- define "tideport.env" -}}
{{- $root := .root }}
{{- $needs := .spec.needs }}
{{- $values := $root.Values }}
{{- $lines := list }}
{{- $lines = append $lines (include "tideport.env.otel" .) }}
{{- $lines = append $lines (include "tideport.env.process" .) }}
{{- $lines = append $lines (include "tideport.env.tls" $root) }}
{{- if has "postgres" $needs }}{{- $lines = append $lines (include "tideport.env.postgres" .) }}{{- end }}
{{- if has "nats" $needs }}{{- $lines = append $lines (include "tideport.env.nats" .) }}{{- end }}
{{- if has "s3" $needs }}{{- $lines = append $lines (include "tideport.env.s3" $root) }}{{- end }}
{{- if has "volume" $needs }}{{- $lines = append $lines (include "tideport.env.volume" $root) }}{{- end }}
{{- if eq .name "gateway" }}{{- $lines = append $lines (include "tideport.env.gateway" $root) }}
{{- else if .spec.port }}{{- $lines = append $lines (include "tideport.fromSecret" (dict "name" "IDENTITY_TOKEN_PUBLIC_KEYS" "secret" $values.keys.existingSecret "key" $values.keys.identityTokenPublicKeysKey)) }}{{- end }}
{{- if eq .name "auth" }}{{- $lines = append $lines (include "tideport.fromSecret" (dict "name" "S3_API_SECRET_KEYS" "secret" $values.keys.existingSecret "key" $values.keys.s3ApiSecretKeysKey)) }}{{- end }}
{{- if eq .name "files" }}{{- $lines = append $lines (include "tideport.env.cors" $root) }}{{- $lines = append $lines (include "tideport.fromSecret" (dict "name" "DOWNLOAD_TOKEN_KEYS" "secret" $values.keys.existingSecret "key" $values.keys.downloadTokenKeysKey)) }}{{- end }}
{{- if eq .name "webhooks" }}{{- $lines = append $lines (include "tideport.fromSecret" (dict "name" "WEBHOOK_SECRET_KEYS" "secret" $values.keys.existingSecret "key" $values.keys.webhookSecretKeysKey)) }}{{- end }}
{{- if has .name (list "files" "eviction") }}{{- $lines = append $lines (include "tideport.env.exports" $root) }}{{- end }}
{{- $lines = append $lines (include "tideport.env.settings" .) }}
{{- include "tideport.overlaid" (dict "env" (join "\n" $lines | fromYamlArray) "over" (default (list) .values.extraEnv)) }}
{{- end }}

{{- define "tideport.env.exports" -}}
{{ include "tideport.fromSecret" (dict "name" "EXPORT_SECRET_KEYS" "secret" .Values.keys.existingSecret "key" .Values.keys.exportSecretKeysKey "optional" true) }}
{{- end }}

{{- define "tideport.env.process" -}}
{{- $config := .root.Values.config }}
- {name: SERVICE_ENV, value: {{ $config.serviceEnv | quote }}}
- {name: LOG_LEVEL, value: {{ $config.logLevel }}}
- {name: SHUTDOWN_SECONDS, value: {{ .values.drainSeconds | quote }}}
- {name: ADMIN_PORT, value: "9090"}
{{- if .spec.port }}
- {name: PORT, value: {{ .spec.port | quote }}}
{{- end }}
{{- with .spec.s3Port }}
- {name: S3_API_PORT, value: {{ . | quote }}}
{{- end }}
{{- if has .name (list "gateway" "auth" "files") }}
- {name: PUBLIC_URL, value: {{ $config.publicUrl | quote }}}
{{- end }}
{{- if has .name (list "gateway" "files") }}
- {name: STREAM_DRAIN_SECONDS, value: {{ .values.streamDrainSeconds | quote }}}
{{- end }}
{{- if .values.concurrency }}
- {name: {{ upper .name }}_CONCURRENCY, value: {{ .values.concurrency | quote }}}
{{- end }}
{{- end }}

{{- define "tideport.env.postgres" -}}
{{ include "tideport.env.database" (dict "root" .root "owner" .spec.owner "name" "DATABASE_URL" "migration" false) }}
- {name: DATABASE_POOL_SIZE, value: {{ .root.Values.postgres.pool.max | quote }}}
- {name: DATABASE_POOLER, value: {{ .root.Values.postgres.pooler }}}
{{- end }}

{{/* The entries of `settings`, in the components that read them. A component's own settings take precedence. */}}
{{- define "tideport.env.settings" -}}
{{- $name := .name }}
{{- $readers := .root.Files.Get "files/settings.yaml" | fromYaml }}
{{- $chosen := dict }}
{{- range $key, $value := .root.Values.settings }}{{- if has $name (default (list) (get $readers $key)) }}{{- $_ := set $chosen $key $value }}{{- end }}{{- end }}
{{- range $key, $value := .values.settings }}{{- $_ := set $chosen $key $value }}{{- end }}
{{- range $key, $value := $chosen }}
- {name: {{ $key }}, value: {{ include "tideport.string" $value | quote }}}
{{- end }}
{{- end }}
