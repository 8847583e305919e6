{{- define "tideport.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* What runs, what it listens on, who calls it and what it needs: Services, environments and network policies follow. */}}
{{- define "tideport.components" -}}
gateway: {port: 8080, callers: [outside], needs: [auth, files, webhooks, identity]}
auth: {port: 8081, callers: [gateway], needs: [postgres, nats], owner: auth}
files: {port: 8082, callers: [gateway], needs: [postgres, nats, s3, volume], owner: files}
sync: {needs: [postgres, nats, s3, volume], owner: files}
eviction: {needs: [postgres, nats, s3, volume], owner: files}
webhooks: {port: 8083, callers: [gateway], needs: [postgres, nats, receivers], owner: webhooks}
{{- end }}

{{/* The values of one component: its own keys over those of `defaults`, maps key by key. Takes root and name. */}}
{{- define "tideport.component" -}}
{{- $merged := deepCopy .root.Values.defaults -}}
{{- range $key, $value := index .root.Values .name -}}
{{- if and (kindIs "map" $value) (kindIs "map" (index $merged $key)) -}}
{{- range $inner, $own := $value }}{{- $_ := set (index $merged $key) $inner $own }}{{- end -}}
{{- else if not (kindIs "invalid" $value) -}}
{{- $_ := set $merged $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end }}

{{/* Takes root and name. */}}
{{- define "tideport.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* Without the chart's version: a new chart alone starts no pod anew. */}}
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

{{/* Takes root and image (a component's, over the chart's). */}}
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

{{/* A number of YAML is a float to Go: 8589934592 must not become 8.589934592e+09. */}}
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

{{- define "tideport.claimName" -}}
{{- default (printf "%s-network" (include "tideport.fullname" .)) .Values.storage.embedded.existingClaim -}}
{{- end }}

{{- define "tideport.onOneNode" -}}
{{- if not (has "ReadWriteMany" .Values.storage.embedded.accessModes) }}true{{ end -}}
{{- end }}

{{/* The port of an address such as http://host:9000. */}}
{{- define "tideport.portOf" -}}
{{- $url := urlParse . -}}
{{- if regexMatch ":[0-9]+$" $url.host }}{{ regexFind "[0-9]+$" $url.host }}{{ else }}{{ ternary 80 443 (eq $url.scheme "http") }}{{ end -}}
{{- end }}
