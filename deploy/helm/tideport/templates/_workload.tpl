{{/* A Deployment of one component. Takes root, name, spec (of tideport.components), and values (merged). */}}
{{- define "tideport.workload" -}}
{{- $root := .root }}{{- $values := .values }}{{- $spec := .spec }}
{{- $labels := dict "root" $root "name" .name }}
{{- $env := include "tideport.env" . }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "tideport.fullname" $root }}-{{ .name }}
  labels:
    {{- include "tideport.labels" $labels | nindent 4 }}
spec:
  {{- if and (eq $values.autoscaling.mode "off") (not (kindIs "invalid" $values.replicas)) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $values.revisionHistoryLimit }}
  strategy:
    {{- toYaml (ternary (omit $values.strategy "rollingUpdate") $values.strategy (eq $values.strategy.type "Recreate")) | nindent 4 }}
  selector:
    matchLabels:
      {{- include "tideport.selectorLabels" $labels | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "tideport.podLabels" $labels | nindent 8 }}
        {{- if has "volume" $spec.needs }}
        tideport/network-volume: {{ $root.Release.Name }}
        {{- end }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with include "tideport.podAnnotations" (dict "root" $root "name" $.name "values" $values "needs" $spec.needs "env" $env) | trim }}
      annotations:
        {{- . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "tideport.serviceAccountName" $root }}
      {{- include "tideport.podBase" (dict "root" $root "pod" $values) | nindent 6 }}
      {{- /* Uses the same values as terminationGracePeriodSeconds, so that the process exits before the kubelet kills it. */}}
      terminationGracePeriodSeconds: {{ add $values.preStopSeconds $values.drainSeconds ($values.streamDrainSeconds | default 0) 10 }}
      {{- include "tideport.placement" (dict "root" $root "name" .name "needs" $spec.needs "values" $values) | nindent 6 }}
      {{- with $values.extraInitContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "tideport.image" (dict "root" $root "image" $values.image) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .name }}]
          env:
            {{- $env | nindent 12 }}
          {{- with $values.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- if $spec.port }}
            - {name: http, containerPort: {{ $spec.port }}, protocol: TCP}
            {{- end }}
            {{- with $spec.s3Port }}
            - {name: s3, containerPort: {{ . }}, protocol: TCP}
            {{- end }}
            - {name: admin, containerPort: 9090, protocol: TCP}
          {{- range $probe, $own := $values.probes }}
          {{ $probe }}Probe:
            {{- toYaml $own | nindent 12 }}
          {{- end }}
          {{- if gt (int $values.preStopSeconds) 0 }}
          # Requests still arrive until all nodes know that this pod is stopping.
          lifecycle:
            preStop: {sleep: {seconds: {{ $values.preStopSeconds }}}}
          {{- end }}
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          securityContext:
            {{- toYaml $values.securityContext | nindent 12 }}
          volumeMounts:
            {{- include "tideport.volumeMounts" (dict "root" $root "needs" $spec.needs) | nindent 12 }}
            {{- with $values.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $values.extraContainers }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- include "tideport.volumes" (dict "root" $root "name" $.name "needs" $spec.needs) | nindent 8 }}
        {{- with $values.extraVolumes }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}

{{/*
Spreads pods over zones and hosts. If a volume can be mounted on one node only, all pods that need it run there. Takes root, name,
needs, and values (merged).
*/}}
{{- define "tideport.placement" -}}
{{- $selector := include "tideport.selectorLabels" (dict "root" .root "name" .name) }}
{{- $together := and (has "volume" .needs) (include "tideport.onOneNode" .root) }}
{{- if .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- tpl (toYaml .values.topologySpreadConstraints) .root | nindent 2 }}
{{- else if and (ne .values.topologySpread "off") (not $together) }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ ternary "DoNotSchedule" "ScheduleAnyway" (eq $.values.topologySpread "hard") }}
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- include "tideport.affinity" . }}
{{- end }}

{{/* Takes root, needs, and values (merged). */}}
{{- define "tideport.affinity" -}}
{{- if .values.affinity }}
affinity:
  {{- toYaml .values.affinity | nindent 2 }}
{{- else if and (has "volume" .needs) (include "tideport.onOneNode" .root) }}
{{ include "tideport.oneNode" .root }}
{{- end }}
{{- end }}

{{- define "tideport.oneNode" -}}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels: {tideport/network-volume: {{ .Release.Name }}}
{{- end }}
