"""Classes of frameworks that derive from nn.Module, and from which models of projects derive."""

from __future__ import annotations

FRAMEWORKS = frozenset(
    {
        "lightning.LightningModule", "lightning.pytorch.LightningModule",
        "lightning.pytorch.core.LightningModule", "lightning.pytorch.core.module.LightningModule",
        "pytorch_lightning.LightningModule", "pytorch_lightning.core.LightningModule",
        "pytorch_lightning.core.lightning.LightningModule",
        "transformers.PreTrainedModel", "transformers.modeling_utils.PreTrainedModel",
        "diffusers.ModelMixin", "diffusers.models.modeling_utils.ModelMixin",
        "mmengine.model.BaseModule", "mmengine.model.BaseModel", "mmcv.runner.BaseModule",
        "detectron2.modeling.backbone.Backbone", "detectron2.modeling.Backbone",
        "gpytorch.models.ExactGP",
    }
)  # fmt: skip
SAVES_SETTINGS = "lightning.LightningModule.save_hyperparameters"
