package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	autoscalingvalidation "k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/networking"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	networkingvalidation "k8s.io/kubernetes/pkg/apis/networking/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	podsecurity "k8s.io/pod-security-admission/api"
	podsecuritypolicy "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Groups that operators add: the API server checks what it was told of them, which is not here.
var foreignGroups = map[string]bool{"monitoring.coreos.com": true}

// Builds a kustomization and does with each object what the API server does when it is created: decoding in
// which no field may be unknown or twice, defaults, validation; and for Pods the profile "restricted".
func checkKubernetes(_ context.Context, folder string) (any, []string, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		return nil, nil, err
	}
	decoder := serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDecoder()
	objects := []map[string]any{}
	faults := []string{}
	for _, resource := range built.Resources() {
		name := fmt.Sprintf("%s %s", resource.GetKind(), resource.GetName())
		object, err := resource.Map()
		if err != nil {
			return nil, nil, err
		}
		objects = append(objects, object)
		if foreignGroups[resource.GetGvk().Group] {
			continue
		}
		text, err := resource.AsYAML()
		if err != nil {
			return nil, nil, err
		}
		decoded, err := runtime.Decode(decoder, text)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		for _, fault := range validate(decoded) {
			faults = append(faults, fmt.Sprintf("%s: %v", name, fault))
		}
	}
	return objects, faults, nil
}

func validate(object runtime.Object) []error {
	switch object := object.(type) {
	case *core.Namespace:
		return errorsOf(corevalidation.ValidateNamespace(object))
	case *core.ServiceAccount:
		return errorsOf(corevalidation.ValidateServiceAccount(object))
	case *core.ConfigMap:
		return errorsOf(corevalidation.ValidateConfigMap(object))
	case *core.Service:
		// The server fills this in first.
		if object.Spec.ClusterIP != "" {
			object.Spec.ClusterIPs = []string{object.Spec.ClusterIP}
		}
		return errorsOf(corevalidation.ValidateServiceCreate(object))
	case *apps.StatefulSet:
		faults := errorsOf(appsvalidation.ValidateStatefulSet(object, corevalidation.PodValidationOptions{}))
		return append(faults, insecure(&object.Spec.Template)...)
	case *autoscaling.HorizontalPodAutoscaler:
		options := autoscalingvalidation.HorizontalPodAutoscalerSpecValidationOptions{MinReplicasLowerBound: 1}
		return errorsOf(autoscalingvalidation.ValidateHorizontalPodAutoscaler(object, options))
	case *networking.Ingress:
		return errorsOf(networkingvalidation.ValidateIngressCreate(object))
	case *networking.NetworkPolicy:
		options := networkingvalidation.NetworkPolicyValidationOptions{}
		return errorsOf(networkingvalidation.ValidateNetworkPolicy(object, options))
	case *policy.PodDisruptionBudget:
		options := policyvalidation.PodDisruptionBudgetValidationOptions{}
		return errorsOf(policyvalidation.ValidatePodDisruptionBudget(object, options))
	}
	return []error{fmt.Errorf("kubernetes.go says nothing about its kind")}
}

func errorsOf(list field.ErrorList) []error {
	faults := []error{}
	for _, fault := range list {
		faults = append(faults, fault)
	}
	return faults
}

// What the namespace's label `pod-security.kubernetes.io/enforce: restricted` would refuse.
func insecure(template *core.PodTemplateSpec) []error {
	var external corev1.PodTemplateSpec
	err := corev1conversion.Convert_core_PodTemplateSpec_To_v1_PodTemplateSpec(template, &external, nil)
	if err != nil {
		return []error{err}
	}
	evaluator, err := podsecuritypolicy.NewEvaluator(podsecuritypolicy.DefaultChecks())
	if err != nil {
		return []error{err}
	}
	profile := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	meta := metav1.ObjectMeta{Annotations: external.Annotations, Labels: external.Labels}
	faults := []error{}
	for _, result := range evaluator.EvaluatePod(profile, &meta, &external.Spec) {
		if !result.Allowed {
			faults = append(faults, fmt.Errorf("%s: %s", result.ForbiddenReason, result.ForbiddenDetail))
		}
	}
	return faults
}
