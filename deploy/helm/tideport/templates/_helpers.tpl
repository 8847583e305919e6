{{- define "tideport.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* Components with their ports, callers, and dependencies. Services, environments, and network policies derive from them. */}}
{{- define "tideport.components" -}}
gateway: {port: 8080, s3Port: 8084, callers: [outside], needs: [auth, files, webhooks, identity]}
auth: {port: 8081, callers: [gateway], needs: [postgres, nats], owner: auth}
files: {port: 8082, callers: [gateway], needs: [postgres, nats, s3, volume], owner: files}
sync: {needs: [postgres, nats, s3, volume], owner: files}
eviction: {needs: [postgres, nats, s3, volume, exports], owner: files}
webhooks: {port: 8083, callers: [gateway], needs: [postgres, nats, receivers], owner: webhooks}
{{- end }}

{{/* The values of one component: its own values merged over `defaults`, key by key. Takes root and name. */}}
{{- define "tideport.component" -}}
{{- $merged := deepCopy .root.Values.defaults -}}
{{- range $key, $value := index .root.Values .name -}}
{{- if and (kindIs "map" $value) (kindIs "map" (index $merged $key)) -}}
{{- range $inner, $own := $value }}{{- $_ := set (index $merged $key) $inner $own }}{{- end -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- end -}}
{{- if and (has .name (list "sync" "eviction")) (not $merged.queues) }}{{- $_ := set $merged "queues" (include "tideport.queues" (dict "root" .root "name" .name "settings" $merged.settings) | fromJsonArray) }}{{ end -}}
{{- toYaml $merged -}}
{{- end }}

{{/* The consumers of a worker, as JSON: one for each network that it serves, and one for files. Takes root, name, and settings (its own). */}}
{{- define "tideport.queues" -}}
{{- $served := default .root.Values.settings.SYNC_NETWORKS .settings.SYNC_NETWORKS | default "" | include "tideport.string" -}}
{{- $queues := list (dict "stream" "JOBS" "consumer" (ternary "rehydrate" "evict" (eq .name "sync"))) -}}
{{- range include "tideport.networks" .root | fromJsonArray -}}
{{- if eq $.name "eviction" }}{{- $queues = append $queues (dict "stream" "JOBS" "consumer" (printf "prove-%s" .name)) -}}
{{- else if or (not $served) (has .name (splitList "," (nospace $served))) }}{{- $queues = append $queues (dict "stream" "JOBS" "consumer" (printf "store-%s" .name)) -}}
{{- end -}}
{{- end -}}
{{- toJson $queues -}}
{{- end }}

{{/* The storage networks, as JSON: those of storage.networks, or the one of storage.embedded. Each embedded network is a directory of its own volume. */}}
{{- define "tideport.networks" -}}
{{- $networks := list -}}
{{- $full := include "tideport.fullname" . -}}
{{- range .Values.storage.networks -}}
{{- if eq (default "embedded" .driver) "s3" -}}
{{- $networks = append $networks (merge (deepCopy .) (dict "role" "required" "s3" (dict "endpoint" "" "region" "us-east-1" "forcePathStyle" false "accessKeyKey" "access-key-id" "secretKeyKey" "secret-access-key"))) -}}
{{- else if eq (default "embedded" .driver) "ipfs" -}}
{{- $networks = append $networks (merge (deepCopy .) (dict "role" "required" "ipfs" (dict "mfsDirectory" "/tideport" "gcSeconds" 600 "existingSecret" "" "tokenKey" "token"))) -}}
{{- else if eq (default "embedded" .driver) "walrus" -}}
{{- $networks = append $networks (merge (deepCopy .) (dict "role" "required" "walrus" (dict "existingSecret" "" "jwtSecretKey" "jwt-secret"))) -}}
{{- else -}}
{{- $network := merge (deepCopy .) (dict "driver" "embedded" "role" "required" "existingClaim" "" "storageClass" "" "size" "20Gi" "accessModes" (list "ReadWriteMany")) -}}
{{- $claim := default (printf "%s-network-%s" $full .name) .existingClaim -}}
{{- $networks = append $networks (merge $network (dict "claim" $claim "volume" (printf "network-%s" .name) "mount" (printf "/var/lib/tideport-networks/%s" .name))) -}}
{{- end -}}
{{- end -}}
{{- if not $networks -}}
{{- $claim := default (printf "%s-network" $full) .Values.storage.embedded.existingClaim -}}
{{- $networks = list (merge (deepCopy .Values.storage.embedded) (dict "name" .Values.storage.network "driver" "embedded" "role" "required" "claim" $claim "volume" "network" "mount" "/var/lib/tideport")) -}}
{{- end -}}
{{- toJson $networks -}}
{{- end }}

{{/* The storage networks on volumes, as JSON. */}}
{{- define "tideport.volumeNetworks" -}}
{{- $networks := list -}}
{{- range include "tideport.networks" . | fromJsonArray }}{{ if eq .driver "embedded" }}{{ $networks = append $networks . }}{{ end }}{{ end -}}
{{- toJson $networks -}}
{{- end }}

{{/* The ports of external networks, as JSON. */}}
{{- define "tideport.networkPorts" -}}
{{- $ports := list -}}
{{- range include "tideport.networks" . | fromJsonArray }}{{ if eq .driver "s3" }}{{ $ports = append $ports (include "tideport.portOf" (default "https://aws" .s3.endpoint) | int) }}{{ else if eq .driver "ipfs" }}{{ range .ipfs.rpcUrls }}{{ $ports = append $ports (include "tideport.portOf" . | int) }}{{ end }}{{ else if eq .driver "walrus" }}{{ range concat .walrus.publishers .walrus.aggregators }}{{ $ports = append $ports (include "tideport.portOf" . | int) }}{{ end }}{{ end }}{{ end -}}
{{- toJson (uniq $ports) -}}
{{- end }}

{{/* Takes root and name. */}}
{{- define "tideport.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Without the chart's version, so that a new chart version alone restarts no pods. */}}
{{- define "tideport.podLabels" -}}
{{ include "tideport.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: tideport
{{- end }}

{{- define "tideport.labels" -}}
{{ include "tideport.podLabels" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* Takes root and image (of a component, which overrides the chart's). */}}
{{- define "tideport.image" -}}
{{- $image := merge (dict) (default (dict) .image) .root.Values.image -}}
{{- $tag := default .root.Chart.AppVersion $image.tag -}}
{{- $name := ternary (printf "%s@%s" $image.repository $image.digest) (printf "%s:%s" $image.repository $tag) (not (empty $image.digest)) -}}
{{- include "tideport.fromRegistry" (dict "root" .root "image" $name) -}}
{{- end }}

{{- define "tideport.fromRegistry" -}}
{{- with .root.Values.global.imageRegistry }}{{ trimSuffix "/" . }}/{{ end }}{{ .image }}
{{- end }}

{{- define "tideport.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create }}{{ include "tideport.fullname" . }}
{{- else }}default{{ end -}}
{{- end }}

{{/* Go reads YAML numbers as floats: 8589934592 must not become 8.589934592e+09. */}}
{{- define "tideport.string" -}}
{{- if kindIs "slice" . }}{{ join "," . }}
{{- else if and (kindIs "float64" .) (eq (floor .) .) }}{{ printf "%.0f" . }}
{{- else }}{{ toString . }}{{ end -}}
{{- end }}

{{- define "tideport.mode.migrations" -}}
{{- if and (eq .Values.migrations.mode "hook") .Values.dev.postgres.enabled }}job{{ else }}{{ .Values.migrations.mode }}{{ end -}}
{{- end }}

{{- define "tideport.mode.provision" -}}
{{- if and (eq .Values.jetstream.provision.mode "hook") .Values.dev.nats.enabled }}job{{ else }}{{ .Values.jetstream.provision.mode }}{{ end -}}
{{- end }}

{{- define "tideport.onOneNode" -}}
{{- $isOne := "" -}}
{{- range include "tideport.volumeNetworks" . | fromJsonArray }}{{ if not (has "ReadWriteMany" .accessModes) }}{{ $isOne = "true" }}{{ end }}{{ end -}}
{{- $isOne -}}
{{- end }}

{{/* The port of a URL such as http://host:9000. */}}
{{- define "tideport.portOf" -}}
{{- $url := urlParse . -}}
{{- if regexMatch ":[0-9]+$" $url.host }}{{ regexFind "[0-9]+$" $url.host }}{{ else }}{{ get (dict "http" 80 "nats" 4222 "tls" 4222) $url.scheme | default 443 }}{{ end -}}
{{- end }}
